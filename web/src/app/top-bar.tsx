import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { useMe } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { house, messages } from '../messages.ts'
import { Broken } from '../offline/broken.tsx'
import { Logo } from '../ui/brand.tsx'
import { Button } from '../ui/button.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import styles from './top-bar.module.css'

// a visitor needs none of it
const Person = lazy(() => import('./person.tsx'))

/** `brandState` goes with the brand's link, so that it leads to the landing view. */
export function TopBar({ brandState }: { brandState: object }) {
  const { me, state, guess, isSigningIn } = useMe()
  const isVisitor = state === 'signed-out' || (state === 'loading' && guess === 'visitor')
  return (
    <header className={styles.bar}>
      <Link to="/" state={brandState} className={`${styles.brand} ${me ? styles.signedIn : ''}`}>
        <Logo />
        <span>{house.brand}</span>
      </Link>
      <ThemeSwitch className={styles.theme} />
      {me && (
        <Broken instead={<UnknownBalance />}>
          <Suspense fallback={<UnknownBalance />}>
            <Person me={me} />
          </Suspense>
        </Broken>
      )}
      {state === 'loading' && !isVisitor && <UnknownBalance />}
      {isVisitor && (
        <Button small busy={isSigningIn} onClick={signIn}>
          {messages.bar.signIn(house.signInProvider)}
        </Button>
      )}
    </header>
  )
}

/** Until the server has said who is here, and with what. */
function UnknownBalance() {
  return (
    <button type="button" className={styles.balance} disabled>
      {messages.bar.balanceUnknown}
    </button>
  )
}
