import type { ReactNode } from 'react'
import type { Me, Ops } from '@prelude/contracts'
import { format, messages } from '../../../messages.ts'
import { OperatorOnly } from '../operator-only.tsx'
import { ClientErrors } from './client-errors.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { Mails } from './mails.tsx'
import styles from './ops.module.css'
import { Problems, SlowRequests } from './requests.tsx'
import { Alerts, Instances, MusicGenerator, Services } from './services.tsx'
import { useOps } from './use-ops.ts'
import { WebVitals } from './web-vitals.tsx'

/** The operations page: state of all services, alerts, dead letters, mails, errors. */
export default function OpsPage({ me }: { me: Me | null }) {
  return (
    <OperatorOnly me={me} title={messages.ops.title}>
      <Dashboard />
    </OperatorOnly>
  )
}

function Dashboard() {
  const { ops, isDisconnected } = useOps()
  return (
    <>
      <header className={`row head ${styles.head}`}>
        <h1>{messages.ops.title}</h1>
        <p role="status" className={isDisconnected ? 'bad' : 'soft'}>
          {isDisconnected ? messages.ops.disconnected : ops ? summary(ops) : messages.loading}
        </p>
        {ops && <p className="mono soft">{messages.ops.asOf(format.time(ops.at))}</p>}
      </header>
      {ops && (
        <>
          <Alerts alerts={ops.alerts} mails={ops.mails} />
          <Services services={ops.services} />
          <MusicGenerator services={ops.services} />
          <DeadLetters deadLetters={ops.deadLetters} services={ops.services} />
          <Mails mails={ops.mails} />
          <Problems problems={ops.problems} />
          <ClientErrors clientErrors={ops.clientErrors} />
          <WebVitals webVitals={ops.webVitals} />
          <SlowRequests slow={ops.slow} />
          <Instances services={ops.services} />
        </>
      )}
    </>
  )
}

/** One-line summary. */
function summary({ services, deadLetters, mails, alerts }: Ops): ReactNode {
  const unhealthy = services.filter(({ state }) => state !== 'ok').length
  const failed = mails?.filter(({ state }) => state === 'failed').length ?? 0
  return unhealthy + deadLetters.length + failed + alerts.length === 0
    ? messages.ops.allHealthy
    : messages.ops.summary({
        services: unhealthy,
        deadLetters: deadLetters.length,
        mails: failed,
        alerts: alerts.length,
      })
}
