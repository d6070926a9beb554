import type { ReactNode } from 'react'
import type { Me } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { usePageTitle } from '../../state/title.ts'
import { Notice } from '../../ui/notice.tsx'
import { SignInFirst } from '../../ui/sign-in-first.tsx'
import styles from './operator.module.css'
import { UnlockForm } from './unlock-form.tsx'
import { useKeptUnlock } from './use-kept-unlock.ts'

/** A page of the operator: others read that it is not theirs, and the operator unlocks it first. */
export function OperatorOnly({ me, title, children }: { me: Me | null; title: string; children: ReactNode }) {
  usePageTitle(title)
  useKeptUnlock(me?.operator.unlocked ?? false)
  if (!me) return <SignInFirst title={title} />
  if (!me.operator.eligible)
    return (
      <Notice tape="none" title={title}>
        <p>{messages.ops.operatorOnly}</p>
      </Notice>
    )
  return (
    <div className={`page gap-6 ${styles.page}`}>
      {me.operator.unlocked ? (
        children
      ) : (
        <section className={`stack gap-4 ${styles.unlockPage}`} aria-labelledby="operator-page">
          <h1 id="operator-page">{title}</h1>
          <UnlockForm />
        </section>
      )}
    </div>
  )
}
