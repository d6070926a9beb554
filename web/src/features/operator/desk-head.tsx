import type { ReactNode } from 'react'
import { messages } from '../../messages.ts'
import { Link, useLocation } from '../../router.tsx'
import { LockButton } from './lock-button.tsx'
import styles from './operator.module.css'

/** The head of the operator's two work places, with links to all; children are controls of the one that is open. */
export function DeskHead({ children }: { children?: ReactNode }) {
  const { bar, desk, ops } = messages
  const { pathname } = useLocation()
  const place = (to: string, text: string) => (
    <Link to={to} aria-current={pathname === to ? 'page' : undefined}>
      {text}
    </Link>
  )
  return (
    <header className="row head">
      <h1>{bar.desk}</h1>
      <nav aria-label={bar.desk} className={styles.places}>
        {place('/operator', desk.work)}
        {place('/operator/money', desk.money)}
        {place('/ops', ops.title)}
      </nav>
      {children}
      <LockButton />
    </header>
  )
}
