import type { ReactNode } from 'react'
import type { Me, Ops } from '@prelude/contracts'
import { signIn } from '../../../api/session.ts'
import { format, messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useTitle } from '../../../ui/title.ts'
import { Gate } from '../gate.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { Mails } from './mails.tsx'
import styles from './ops.module.css'
import { Alerts, Instances, Parts } from './parts.tsx'
import { Problems, SlowRequests } from './requests.tsx'
import { useOps } from './use-ops.ts'

/** What the people who run the product see at night: how every part is, what waits, and what can be done about it. */
export default function OpsPage({ me }: { me: Me | null }) {
  useTitle(messages.ops.title)
  if (!me?.operator.eligible)
    return (
      <Notice tape="none" title={messages.ops.title}>
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
        <Room />
      ) : (
        <section className={styles.gate} aria-labelledby="ops-title">
          <h1 id="ops-title">{messages.ops.title}</h1>
          <Gate />
        </section>
      )}
    </div>
  )
}

function Room() {
  const { ops, lost } = useOps()
  return (
    <>
      <header className={styles.head}>
        <h1>{messages.ops.title}</h1>
        <p role="status" className={lost ? styles.bad : styles.soft}>
          {lost ? messages.ops.lost : ops ? summary(ops) : messages.loading}
        </p>
        {ops && <p className={`mono ${styles.soft}`}>{messages.ops.asOf(format.time(ops.at))}</p>}
      </header>
      {ops && (
        <>
          <Alerts alerts={ops.alerts} />
          <Parts parts={ops.parts} />
          <DeadLetters letters={ops.deadLetters} parts={ops.parts} />
          <Mails mails={ops.mails} />
          <Problems problems={ops.problems} />
          <SlowRequests slow={ops.slow} />
          <Instances parts={ops.parts} />
        </>
      )}
    </>
  )
}

/** One line that can be read from the bed. */
function summary({ parts, deadLetters, mails, alerts }: Ops): ReactNode {
  const ill = parts.filter(({ state }) => state !== 'ok').length
  const failed = mails?.filter(({ state }) => state === 'failed').length ?? 0
  return ill + deadLetters.length + failed + alerts.length === 0
    ? messages.ops.allWell
    : messages.ops.toLookAt({
        parts: ill,
        letters: deadLetters.length,
        mails: failed,
        alerts: alerts.length,
      })
}
