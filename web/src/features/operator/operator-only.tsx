import type { ReactNode } from 'react'
import type { Me } from '@prelude/contracts'
import { signIn } from '../../api/session.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import styles from './operator.module.css'
import { UnlockForm } from './unlock-form.tsx'
import { useKeptUnlock } from './use-kept-unlock.ts'

/** A page of the operator: others read that it is not theirs, and the operator unlocks it first. */
export function OperatorOnly({ me, title, children }: { me: Me | null; title: string; children: ReactNode }) {
  useKeptUnlock(me?.operator.unlocked ?? false)
  if (!me?.operator.eligible)
    return (
      <Notice tape="none" title={title}>
        <p>{me ? messages.ops.operatorOnly : messages.signInFirst}</p>
        {!me && (
          <Button variant="primary" onClick={signIn}>
            {messages.statement.signIn}
          </Button>
        )}
      </Notice>
    )
  return (
    <div className={styles.page}>
      {me.operator.unlocked ? (
        children
      ) : (
        <section className={styles.unlockPage} aria-labelledby="operator-page">
          <h1 id="operator-page">{title}</h1>
          <UnlockForm />
        </section>
      )}
    </div>
  )
}
