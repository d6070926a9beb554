import type { ReactNode } from 'react'
import { useMe } from '../api/me.ts'
import { signIn } from '../api/session.ts'
import { siteConfig, messages } from '../messages.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Logo } from '../ui/brand.tsx'
import { Button } from '../ui/button.tsx'
import { Link } from '../router.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import styles from './top-bar.module.css'

/** `brandState` is the router state of the brand link, which opens the landing view; `controls` are a signed-in person's. */
export function TopBar({ brandState, controls }: { brandState: object; controls: ReactNode }) {
  const { state, guess, isSigningIn } = useMe()
  const isVisitor = state === 'signed-out' || (state === 'loading' && guess === 'visitor')
  return (
    <header className={`line gap-3 ${styles.bar}`}>
      <Link to="/" state={brandState} className={`line ${styles.brand}`}>
        <Logo />
        <span>{siteConfig.brand}</span>
      </Link>
      <ThemeSwitch className={styles.theme} />
      {controls && <ErrorBoundary fallback={missingControls}>{controls}</ErrorBoundary>}
      {state === 'loading' && !isVisitor && <BalancePlaceholder />}
      {isVisitor && (
        <Button small className={styles.signIn} busy={isSigningIn} onClick={signIn}>
          {messages.bar.signIn(siteConfig.signInProvider)}
        </Button>
      )}
    </header>
  )
}

/** In place of controls whose chunk did not load. */
const missingControls = (retry: () => void) => (
  <>
    <BalancePlaceholder />
    <Button small onClick={retry}>
      {messages.tryAgain}
    </Button>
  </>
)

/** Until /api/me and the balance are loaded. */
export function BalancePlaceholder() {
  return (
    <button type="button" className={styles.balance} disabled>
      {messages.bar.balanceUnknown}
    </button>
  )
}
