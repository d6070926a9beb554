import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { reportUncaughtErrors } from './api/client-errors.ts'
import { reportWebVitals } from './api/web-vitals.ts'
import { wasSignedIn } from './api/me.ts'
import { queryClient } from './api/query-client.ts'
import { watchInput } from './browser/recent-input.ts'
import { syncSession } from './api/session.ts'
import { ErrorBoundary } from './app/error-boundary.tsx'
import { followTheme } from './app/theme-switch.tsx'
import { PERSON_CATALOGUES, VISITOR_CATALOGUES } from './languages.ts'
import { preloadPageTexts, restoreLanguage } from './messages.ts'
import { followNotifications, reloadOnNewBuild } from './offline/service-worker.ts'
import { App } from './routes.tsx'
import { restoreLostFocus } from './browser/restore-focus.ts'
import { startRouter } from './router.tsx'
import { ignoreStrayFiles } from './browser/stray-files.ts'
import { toast } from './ui/toast.tsx'
import './ui/base.css'

reportUncaughtErrors()
reportWebVitals()
followTheme()
watchInput()
syncSession(toast.alert)
restoreLostFocus()
ignoreStrayFiles()
startRouter()
reloadOnNewBuild()
followNotifications()
const hasTexts = restoreLanguage(VISITOR_CATALOGUES)
// preload for a returning person, in parallel with GET /api/me
if (wasSignedIn())
  for (const chunk of [
    import('./app/home.tsx'),
    import('./app/user-controls.tsx'),
    import('./app/live-updates.tsx'),
    preloadPageTexts(PERSON_CATALOGUES),
  ])
    chunk.catch(() => {})

const render = (): void =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <ErrorBoundary>
            <App />
          </ErrorBoundary>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  )

// no top-level await: the chunk of a language may import this module
void hasTexts.then(render)
