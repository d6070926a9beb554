import { Moon, Sun } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { useMe } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { house } from '../messages.ts'
import { Logo } from '../ui/brand.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import styles from './top-bar.module.css'

// a visitor needs none of it
const Person = lazy(() => import('./person.tsx'))

/** `brandState` goes with the brand's link, so that it leads to the landing view. */
export function TopBar({ brandState }: { brandState: object }) {
  const { me, state, guess } = useMe()
  const isVisitor = state === 'signed-out' || (state === 'loading' && guess === 'visitor')
  return (
    <header className={styles.bar}>
      <Link to="/" state={brandState} className={`${styles.brand} ${me ? styles.signedIn : ''}`}>
        <Logo />
        <span>{house.brand}</span>
      </Link>
      <ThemeSwitch />
      {me && (
        <Suspense fallback={<UnknownBalance />}>
          <Person me={me} />
        </Suspense>
      )}
      {state === 'loading' && !isVisitor && <UnknownBalance />}
      {isVisitor && (
        <Button small onClick={signIn}>
          Sign in with {house.signInProvider}
        </Button>
      )}
    </header>
  )
}

/** Until the server has said who is here, and with what. */
function UnknownBalance() {
  return (
    <button type="button" className={styles.balance} disabled>
      Loading...
    </button>
  )
}

function ThemeSwitch() {
  const [dark, setDark] = useState(isDark)
  const toggle = (): void => {
    const next = dark ? 'light' : 'dark'
    document.documentElement.dataset['theme'] = next
    localStorage.setItem('theme', next)
    setDark(!dark)
  }
  return (
    <span className={styles.theme}>
      <IconButton label={dark ? 'Use light colours' : 'Use dark colours'} onClick={toggle}>
        {dark ? <Sun aria-hidden size={18} /> : <Moon aria-hidden size={18} />}
      </IconButton>
    </span>
  )
}

const isDark = (): boolean =>
  (document.documentElement.dataset['theme'] ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'

/** Before the first paint: the colours the person chose earlier. */
export function restoreTheme(): void {
  const kept = localStorage.getItem('theme')
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset['theme'] = kept
}
