import { type FormEvent, useState } from 'react'
import { MAX_REASON, type Ops } from '@prelude/contracts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { ago } from '../../../text/time.ts'
import { TextField } from '../../../ui/field.tsx'
import { isTextWithin } from '../../../text/truncate.ts'
import { useIdempotentPost } from '../operator-list.tsx'
import styles from './ops.module.css'
import { Section } from './table.tsx'

type DeadLetter = Ops['deadLetters'][number]

/** Events that could not be handled, with replay and discard. */
export function DeadLetters({ deadLetters, services }: Pick<Ops, 'deadLetters' | 'services'>) {
  const several = services
    .map(({ service }) => service)
    .filter((name) => deadLetters.filter(({ service }) => service === name).length > 1)
  return (
    <Section
      title={messages.ops.deadLetters}
      empty={deadLetters.length === 0 ? messages.ops.noDeadLetters : undefined}
    >
      {several.length > 0 && (
        <div className={`row ${styles.row}`}>
          {several.map((service) => (
            <ReplayAll key={service} service={service} />
          ))}
        </div>
      )}
      <ul className={`rows ${styles.list}`}>
        {deadLetters.map((one) => (
          <DeadLetterItem key={`${one.service} ${one.id}`} deadLetter={one} />
        ))}
      </ul>
    </Section>
  )
}

function ReplayAll({ service }: { service: string }) {
  const replaying = useIdempotentPost('POST /api/operator/ops/dead-letters/:service/replay', {
    params: { service },
  })
  return (
    <Button small busy={replaying.busy} onClick={() => void replaying.send({}, messages.ops.replayRequested)}>
      {messages.ops.replayAll(service)}
    </Button>
  )
}

function DeadLetterItem({ deadLetter }: { deadLetter: DeadLetter }) {
  const params = { service: deadLetter.service, id: deadLetter.id }
  const [reason, setReason] = useState('')
  const replaying = useIdempotentPost('POST /api/operator/ops/dead-letters/:service/:id/replay', { params })
  const discarding = useIdempotentPost('POST /api/operator/ops/dead-letters/:service/:id/discard', { params })
  const name = deadLetter.type ?? messages.ops.unreadable
  const discard = (event: FormEvent): void => {
    event.preventDefault()
    void discarding.send({ reason }, messages.ops.discarded)
  }
  return (
    <li className="stack gap-2">
      <p>
        <strong>{name}</strong> · {deadLetter.service} · <span className="mono">{deadLetter.topic}</span> ·{' '}
        {ago(deadLetter.at)}
        {deadLetter.behind > 0 && ` · ${messages.ops.behind(deadLetter.behind)}`}
        {deadLetter.replaying && ` · ${messages.ops.replaying}`}
      </p>
      {deadLetter.newer ? <p>{messages.ops.newer}</p> : <p className="mono bad">{deadLetter.error}</p>}
      <p className="mono soft">
        {messages.ops.key(deadLetter.key)}
        {deadLetter.position !== null && ` · ${messages.ops.position(deadLetter.position)}`}
      </p>
      <div className={`row ${styles.row}`}>
        <Button
          small
          busy={replaying.busy}
          aria-label={messages.ops.replayOf(name, deadLetter.id)}
          onClick={() => void replaying.send({}, messages.ops.replayRequested)}
        >
          {messages.ops.replay}
        </Button>
        <details>
          <summary>{messages.ops.discardOf}</summary>
          <form className="inline" onSubmit={discard}>
            <TextField
              label={messages.operator.reason}
              value={reason}
              most={MAX_REASON}
              onChange={(event) => setReason(event.target.value)}
            />
            <Button small type="submit" disabled={!isTextWithin(reason, MAX_REASON)} busy={discarding.busy}>
              {messages.ops.discard}
            </Button>
          </form>
        </details>
      </div>
    </li>
  )
}
