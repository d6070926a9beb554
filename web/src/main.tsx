import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { reportUncaughtErrors } from './api/client-errors.ts'
import { queryClient, wasSignedIn } from './api/queries.ts'
import { syncSession, showSignInFailure } from './api/session.ts'
import { ErrorBoundary } from './app/error-boundary.tsx'
import { restoreTheme } from './app/theme-switch.tsx'
import { restoreLanguage } from './messages.ts'
import { reloadOnNewBuild } from './offline/service-worker.ts'
import { App } from './routes.tsx'
import { restoreLostFocus } from './ui/restore-focus.ts'
import './ui/tokens.css'

reportUncaughtErrors()
restoreTheme()
syncSession()
restoreLostFocus()
reloadOnNewBuild()
// preload for a returning person, in parallel with GET /api/me
if (wasSignedIn())
  for (const chunk of [import('./app/home.tsx'), import('./app/user-controls.tsx')]) chunk.catch(() => {})

const render = (): void =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <BrowserRouter>
            <ErrorBoundary>
              <App />
            </ErrorBoundary>
          </BrowserRouter>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  )

// no top-level await: the chunk of a language may import this module
void restoreLanguage().then(() => {
  showSignInFailure()
  render()
})
