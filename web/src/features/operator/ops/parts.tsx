import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import type { Ops, OpsPart } from '@prelude/contracts'
import { format, messages } from '../../../messages.ts'
import { ago } from '../../../ui/clock.ts'
import styles from './ops.module.css'
import { Section, Table } from './table.tsx'

type State = OpsPart['state']
const ICONS = { ok: CircleCheck, degraded: CircleAlert, down: CircleX } as const
const COLOURS = { ok: 'good', degraded: 'fair', down: 'bad' } as const

/** A state is a word, a sign and a colour. */
export function StateWord({ state, of }: { state: State; of?: string }) {
  const Icon = ICONS[state]
  return (
    <span className={`${styles.state} ${styles[COLOURS[state]]}`}>
      <Icon aria-hidden size={16} />
      {of !== undefined && `${of}: `}
      {messages.ops.states[state]}
    </span>
  )
}

/** What the product's own watch has noticed. */
export function Alerts({ alerts }: Pick<Ops, 'alerts'>) {
  return (
    <Section title={messages.ops.alerts} none={alerts.length === 0 ? messages.ops.noAlert : undefined}>
      <ul className={styles.list}>
        {alerts.map((alert) => (
          <li key={`${alert.name} ${alert.part} ${alert.detail}`}>
            <p>
              <strong className={styles.bad}>{alert.name}</strong>
              {alert.part !== null && ` · ${alert.part}`} · {alert.detail} · {ago(alert.since)}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const sum = (part: OpsPart, what: 'deadLetters' | 'parkedKeys'): number =>
  part.topics.reduce((all, topic) => all + topic[what], 0)

/** Null when a topic's lag is not known. */
const lagOf = ({ topics }: OpsPart): number | null =>
  topics.some(({ lag }) => lag === null) ? null : topics.reduce((all, { lag }) => all + (lag ?? 0), 0)

export function Parts({ parts }: Pick<Ops, 'parts'>) {
  const { heads } = messages.ops
  const blocked = parts.flatMap(({ part, blocked: keys }) => keys.map((key) => ({ part, ...key })))
  return (
    <Section title={messages.ops.parts}>
      <Table
        label={messages.ops.parts}
        heads={[
          heads.part,
          heads.state,
          heads.letters,
          heads.outbox,
          heads.age,
          heads.lag,
          heads.parked,
          heads.blocked,
        ]}
        figures={[heads.letters, heads.outbox, heads.age, heads.lag, heads.parked, heads.blocked]}
      >
        {parts.map((part) => (
          <tr key={part.part}>
            <th scope="row">{part.part}</th>
            <td>
              <StateWord state={part.state} />
            </td>
            <Count value={sum(part, 'deadLetters')} bad />
            <Count value={part.outbox?.depth ?? null} />
            <td className={styles.number}>
              {part.outbox === null ? '—' : format.span(part.outbox.ageSeconds)}
            </td>
            <Count value={lagOf(part)} />
            <Count value={sum(part, 'parkedKeys')} bad />
            <Count value={part.outbox?.blockedKeys ?? null} bad />
          </tr>
        ))}
      </Table>
      {blocked.length > 0 && (
        <ul className={styles.list}>
          {blocked.map((key) => (
            <li key={`${key.part} ${key.key}`}>
              {messages.ops.refusedByBus(key.part, key.type)} <span className="mono">{key.key}</span>{' '}
              {key.reason} · {ago(key.at)}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** Unknown is a dash; more than none is `bad` where none is what should be. */
function Count({ value, bad = false }: { value: number | null; bad?: boolean }) {
  return (
    <td className={`${styles.number} ${bad && value ? styles.bad : ''}`}>
      {value === null ? '—' : format.whole(value)}
    </td>
  )
}

/** Every running process, what it depends on and what it does. */
export function Instances({ parts }: Pick<Ops, 'parts'>) {
  const { heads } = messages.ops
  const rows = parts.flatMap(({ part, instances }) => instances.map((one) => ({ part, ...one })))
  return (
    <Section title={messages.ops.instances} none={rows.length === 0 ? messages.ops.noInstance : undefined}>
      <Table
        label={messages.ops.instances}
        heads={[heads.instance, heads.part, heads.dependencies, heads.since, heads.connections, heads.jobs]}
        figures={[heads.connections]}
      >
        {rows.map((one) => (
          <tr key={`${one.part} ${one.id}`}>
            <th scope="row" className="mono">
              {one.id}
            </th>
            <td>
              {one.part}
              {one.leads && ` · ${messages.ops.leads}`}
              {one.silent && <span className={styles.bad}> · {messages.ops.silent(ago(one.seenAt))}</span>}
            </td>
            <td>
              <ul className={styles.states}>
                {one.dependencies.map(({ name, state }) => (
                  <li key={name}>
                    <StateWord state={state} of={name} />
                  </li>
                ))}
              </ul>
            </td>
            <td>{format.when(one.startedAt)}</td>
            <td className={styles.number}>
              {one.connections.used}/{one.connections.most}
              {one.connections.waiting > 0 && ` +${one.connections.waiting}`}
            </td>
            <td className={styles.error}>
              {one.failingJobs.map(({ name, failures, error }) => (
                <span key={name} className={styles.bad}>
                  {messages.ops.jobFails(name, failures)} {error}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
