import { type FormEvent, useState } from 'react'
import { MAX_REASON, type Ops } from '@prelude/contracts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { ago } from '../../../ui/clock.ts'
import { TextField } from '../../../ui/field.tsx'
import { useOnce } from '../desk-list.tsx'
import styles from './ops.module.css'
import { Section } from './table.tsx'

type Letter = Ops['deadLetters'][number]

/** Events that could not be handled, each with what waits behind it. */
export function DeadLetters({ letters, parts }: { letters: Ops['deadLetters']; parts: Ops['parts'] }) {
  const many = parts.filter(({ part }) => letters.filter((letter) => letter.part === part).length > 1)
  return (
    <Section title={messages.ops.deadLetters} none={letters.length === 0 ? messages.ops.noLetter : undefined}>
      {many.length > 0 && (
        <div className={styles.row}>
          {many.map(({ part }) => (
            <ReplayAll key={part} part={part} />
          ))}
        </div>
      )}
      <ul className={styles.list}>
        {letters.map((letter) => (
          <LetterItem key={`${letter.part} ${letter.id}`} letter={letter} />
        ))}
      </ul>
    </Section>
  )
}

function ReplayAll({ part }: { part: string }) {
  const replaying = useOnce(`/api/operator/ops/dead-letters/${part}/replay`)
  return (
    <Button small busy={replaying.busy} onClick={() => void replaying.send({}, messages.ops.replayAsked)}>
      {messages.ops.replayAll(part)}
    </Button>
  )
}

function LetterItem({ letter }: { letter: Letter }) {
  const path = `/api/operator/ops/dead-letters/${letter.part}/${letter.id}`
  const [reason, setReason] = useState('')
  const replaying = useOnce(`${path}/replay`)
  const discarding = useOnce(`${path}/discard`)
  const name = letter.type ?? messages.ops.unreadable
  const discard = (event: FormEvent): void => {
    event.preventDefault()
    void discarding.send({ reason }, messages.ops.discarded)
  }
  return (
    <li>
      <p>
        <strong>{name}</strong> · {letter.part} · <span className="mono">{letter.topic}</span> ·{' '}
        {ago(letter.at)}
        {letter.behind > 0 && ` · ${messages.ops.behind(letter.behind)}`}
        {letter.replaying && ` · ${messages.ops.replaying}`}
      </p>
      <p className={`mono ${styles.bad}`}>{letter.error}</p>
      <p className={`mono ${styles.soft}`}>
        {messages.ops.key(letter.key)}
        {letter.seq !== null && ` · ${letter.seq}`}
      </p>
      <div className={styles.row}>
        <Button
          small
          busy={replaying.busy}
          aria-label={messages.ops.replayOf(name, letter.id)}
          onClick={() => void replaying.send({}, messages.ops.replayAsked)}
        >
          {messages.ops.replay}
        </Button>
        <details>
          <summary>{messages.ops.discardOf}</summary>
          <form className={styles.inline} onSubmit={discard}>
            <TextField
              label={messages.operator.reason}
              value={reason}
              maxLength={MAX_REASON}
              onChange={(event) => setReason(event.target.value)}
            />
            <Button small type="submit" disabled={reason.trim() === ''} busy={discarding.busy}>
              {messages.ops.discard}
            </Button>
          </form>
        </details>
      </div>
    </li>
  )
}
