import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import type { Ops, OpsService } from '@prelude/contracts'
import { format, messages } from '../../../messages.ts'
import { ago } from '../../../text/time.ts'
import styles from './ops.module.css'
import { Section, Table } from './table.tsx'

type State = OpsService['state']
const ICONS = { ok: CircleCheck, degraded: CircleAlert, down: CircleX } as const
const COLOURS = { ok: 'good', degraded: 'fair', down: 'bad' } as const

/** A state as text, icon and colour. `of`: what has the state. */
function StateLabel({ state, of }: { state: State; of?: string }) {
  const Icon = ICONS[state]
  return (
    <span className={`${styles.state} ${COLOURS[state]}`}>
      <Icon aria-hidden size={16} />
      {of !== undefined && `${of}: `}
      {messages.ops.states[state]}
    </span>
  )
}

type Alert = Ops['alerts'][number]

const isAboutMail = ({ name, detail }: Alert): boolean =>
  name === 'PreludeMailQueueOld' || (name === 'PreludeDependencyDown' && detail.startsWith('mail '))

/** How many mails wait, and when the first of them is tried again. */
function NextTry({ mails }: Pick<Ops, 'mails'>) {
  const waiting = (mails ?? []).flatMap(({ nextAt }) => (nextAt === null ? [] : [nextAt]))
  if (waiting.length === 0) return null
  return <p>{messages.ops.mailsWait(waiting.length, format.time(Math.min(...waiting)))}</p>
}

/** Active alerts: what is wrong, what to do, and how it goes on by itself. */
export function Alerts({ alerts, mails }: Pick<Ops, 'alerts' | 'mails'>) {
  return (
    <Section title={messages.ops.alerts} empty={alerts.length === 0 ? messages.ops.noAlerts : undefined}>
      <ul className={`rows ${styles.list}`}>
        {alerts.map((alert) => (
          <li className="stack gap-2" key={`${alert.name} ${alert.service} ${alert.detail}`}>
            <p>
              <strong className="bad">{messages.ops.alertTexts[alert.name].what}</strong>
              {alert.service !== null && ` · ${alert.service}`} · {ago(alert.since)}
            </p>
            <p>{messages.ops.alertTexts[alert.name].toDo}</p>
            {alert.command !== undefined && <p className="mono">{alert.command}</p>}
            {isAboutMail(alert) && <NextTry mails={mails} />}
            <p className="mono soft">
              {alert.detail} · {alert.name}
            </p>
          </li>
        ))}
      </ul>
      {alerts.length > 0 && <p className="soft">{messages.ops.checkedAgain}</p>}
    </Section>
  )
}

const sum = ({ topics }: OpsService, count: 'deadLetters' | 'parkedKeys'): number =>
  topics.reduce((total, topic) => total + topic[count], 0)

/** Lag over all topics; null when one of them is unknown. */
const lagOf = ({ topics }: OpsService): number | null =>
  topics.some(({ lag }) => lag === null) ? null : topics.reduce((total, { lag }) => total + (lag ?? 0), 0)

/** Every service with its state, events not forwarded and consumer lag. */
export function Services({ services }: Pick<Ops, 'services'>) {
  const { columns } = messages.ops
  return (
    <Section title={messages.ops.services}>
      <Table
        label={messages.ops.services}
        rows={services}
        keyOf={({ service }) => service}
        columns={[
          { name: columns.service, renderCell: ({ service }) => service },
          { name: columns.state, renderCell: ({ state }) => <StateLabel state={state} /> },
          {
            name: columns.deadLetters,
            isNumber: true,
            renderCell: (one) => <Count value={sum(one, 'deadLetters')} shouldBeZero />,
          },
          {
            name: columns.backlog,
            isNumber: true,
            renderCell: ({ backlog }) => <Count value={backlog?.events ?? null} />,
          },
          {
            name: columns.age,
            isNumber: true,
            renderCell: ({ backlog }) => (backlog === null ? '—' : format.span(backlog.ageSeconds)),
          },
          { name: columns.lag, isNumber: true, renderCell: (one) => <Count value={lagOf(one)} /> },
          {
            name: columns.parked,
            isNumber: true,
            renderCell: (one) => <Count value={sum(one, 'parkedKeys')} shouldBeZero />,
          },
        ]}
      />
    </Section>
  )
}

/** A count, a dash when unknown; `shouldBeZero` highlights any other number. */
function Count({ value, shouldBeZero = false }: { value: number | null; shouldBeZero?: boolean }) {
  return (
    <span className={shouldBeZero && value ? 'bad' : undefined}>
      {value === null ? '—' : format.whole(value)}
    </span>
  )
}

/** The music generator, where one is in use: its own queue, and the drafts that wait for it. */
export function MusicGenerator({ services }: Pick<Ops, 'services'>) {
  const { columns, generator } = messages.ops
  const { instances = [], gauges = {} } = services.find(({ service }) => service === 'storage') ?? {}
  const states = instances.flatMap(({ dependencies }) =>
    dependencies.filter(({ name }) => name === 'generator'),
  )
  const [known] = states
  if (!known) return null
  const mean = gauges['prelude_generator_job_seconds']
  return (
    <Section title={generator}>
      <Table
        label={generator}
        rows={[(states.find(({ state }) => state !== 'ok') ?? known).state]}
        keyOf={() => generator}
        columns={[
          { name: columns.service, renderCell: () => generator },
          { name: columns.state, renderCell: (state) => <StateLabel state={state} /> },
          {
            name: columns.drafts,
            isNumber: true,
            renderCell: () => <Count value={gauges['prelude_drafts_under_way{state="waiting"}'] ?? null} />,
          },
          {
            name: columns.queue,
            isNumber: true,
            renderCell: () => <Count value={gauges['prelude_generator_queue'] ?? null} />,
          },
          {
            name: columns.meanTime,
            isNumber: true,
            renderCell: () => (mean === undefined ? '—' : format.span(mean)),
          },
        ]}
      />
    </Section>
  )
}

/** Every running process with its dependencies, connections and failing jobs. */
export function Instances({ services }: Pick<Ops, 'services'>) {
  const { columns } = messages.ops
  const rows = services.flatMap(({ service, instances }) => instances.map((one) => ({ service, ...one })))
  return (
    <Section title={messages.ops.instances} empty={rows.length === 0 ? messages.ops.noInstances : undefined}>
      <Table
        label={messages.ops.instances}
        rows={rows}
        keyOf={({ service, id }) => `${service} ${id}`}
        columns={[
          { name: columns.instance, className: 'mono', renderCell: ({ id }) => id },
          {
            name: columns.service,
            renderCell: ({ service, leads, silent, seenAt }) => (
              <>
                {service}
                {leads && ` · ${messages.ops.forwarder}`}
                {silent && <span className="bad"> · {messages.ops.lastReport(ago(seenAt))}</span>}
              </>
            ),
          },
          {
            name: columns.dependencies,
            renderCell: ({ dependencies }) => (
              <ul className={styles.states}>
                {dependencies.map(({ name, state }) => (
                  <li key={name}>
                    <StateLabel state={state} of={name} />
                  </li>
                ))}
              </ul>
            ),
          },
          { name: columns.since, renderCell: ({ startedAt }) => format.when(startedAt) },
          {
            name: columns.connections,
            isNumber: true,
            renderCell: ({ connections: { used, most, waiting } }) =>
              `${used}/${most}${waiting > 0 ? ` +${waiting}` : ''}`,
          },
          {
            name: columns.jobs,
            className: styles.error,
            renderCell: ({ failingJobs }) =>
              failingJobs.length > 0 &&
              failingJobs.map(({ name, failures, error }) => (
                <p key={name} className="bad">
                  {messages.ops.jobFails(name, failures)} {error}
                </p>
              )),
          },
        ]}
      />
    </Section>
  )
}
