import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { queries, wasSignedIn } from './api/queries.ts'
import { followSession, showSignInFailure } from './api/session.ts'
import { restoreTheme } from './app/theme-switch.tsx'
import { restoreLanguage } from './messages.ts'
import { followBuilds } from './offline/keep-shell.ts'
import { App } from './routes.tsx'
import { keepFocus } from './ui/keep-focus.ts'
import './ui/tokens.css'

restoreTheme()
followSession()
keepFocus()
followBuilds()
// who was here before needs these: they are read while the server is asked who is here now
if (wasSignedIn())
  for (const part of [import('./app/home.tsx'), import('./app/person.tsx')]) part.catch(() => {})

const render = (): void =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <BrowserRouter>
            <App />
          </BrowserRouter>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  )

// not awaited at the top of the module: the chunk of a language may need this one
void restoreLanguage().then(() => {
  showSignInFailure()
  render()
})
