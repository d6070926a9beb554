import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { reportUncaughtErrors } from './api/client-errors.ts'
import { reportWebVitals } from './api/web-vitals.ts'
import { queryClient } from './api/query-client.ts'
import { ErrorBoundary } from './app/error-boundary.tsx'
import { Footer } from './app/footer.tsx'
import { followTheme, ThemeSwitch } from './app/theme-switch.tsx'
import bar from './app/top-bar.module.css'
import { SharedSongPage } from './features/share/shared-song-page.tsx'
import { VISITOR_CATALOGUES } from './languages.ts'
import { restoreLanguage, siteConfig, useLanguage } from './messages.ts'
import page from './routes.module.css'
import { Logo } from './ui/brand.tsx'
import { Toasts } from './ui/toast.tsx'
import './ui/base.css'

/** The entry script of share.html. */

reportUncaughtErrors()
reportWebVitals()
followTheme()

function App() {
  useLanguage()
  return (
    <>
      <header className={`line gap-3 ${bar.bar}`}>
        <a href="/" className={`line ${bar.brand}`}>
          <Logo />
          <span>{siteConfig.brand}</span>
        </a>
        <ThemeSwitch className={bar.theme} />
      </header>
      <main className={page.main}>
        <ErrorBoundary>
          <SharedSongPage token={location.pathname.split('/')[2] ?? ''} />
        </ErrorBoundary>
      </main>
      <Footer />
      <Toasts />
    </>
  )
}

void restoreLanguage(VISITOR_CATALOGUES).then(() =>
  createRoot(document.getElementById('root')!).render(
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary>
        <App />
      </ErrorBoundary>
    </QueryClientProvider>,
  ),
)
