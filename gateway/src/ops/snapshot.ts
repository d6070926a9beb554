import {
  type Message,
  type notifierApi,
  type Ops,
  opsApi,
  type OpsService,
  SERVICE_NAMES,
  type ServiceName,
  type ServiceState,
  SILENT_AFTER_MS,
} from '@prelude/contracts'
import { client, type Client, type Clock, type Query, type ServiceCall } from '@prelude/platform'
import { withTitles } from '../accounts/notices.ts'
import { findUsers, type User } from '../accounts/store/users.ts'
import type { SongsClient } from '../api/clients.ts'
import { sharedAnswer } from '../api/shared-answer.ts'
import type { Notes } from './recent.ts'
import { listClientErrors } from './store/client-errors.ts'
import { summarize, type WebVitalCounts } from './web-vitals.ts'

const FRESH_FOR_MS = 2_000

export type OpsClients = Readonly<Record<ServiceName, Client<typeof opsApi>>>

export const opsClients = (calls: ServiceCall): OpsClients =>
  Object.fromEntries(
    SERVICE_NAMES.map((service) => [service, client(calls, service, opsApi)]),
  ) as unknown as OpsClients

export const isServiceName = (name: string): name is ServiceName =>
  SERVICE_NAMES.some((service) => service === name)

interface OpsDeps {
  readonly db: Query
  readonly clock: Clock
  readonly ops: OpsClients
  readonly notifier: Client<typeof notifierApi>
  readonly songs: SongsClient
}

export function createOpsReader(deps: OpsDeps): () => Promise<Ops> {
  return sharedAnswer(deps.clock, FRESH_FOR_MS, () => readOps(deps))
}

/** Those of an older version have no web vitals. */
type GatewayNotes = Notes & { readonly webVitals?: WebVitalCounts }

async function readOps({ db, clock, ops, notifier, songs }: OpsDeps): Promise<Ops> {
  const [states, mails, alerts, clientErrors] = await Promise.all([
    Promise.all(SERVICE_NAMES.map((service) => ops[service].state().catch(() => null))),
    readMails({ db, notifier, songs }).catch(() => null),
    notifier.alerts().then(
      ({ items }) => items,
      () => [],
    ),
    listClientErrors(db).catch(() => null),
  ])
  const gateways = states[0]?.instances ?? []
  const noted = gateways.map(({ id, notes }) => ({ instance: id, ...(notes as GatewayNotes | null) }))
  const now = clock.now()
  const newest = (one: { at: number }, other: { at: number }): number => other.at - one.at
  return {
    at: now,
    services: SERVICE_NAMES.map((service, i) => withState(service, states[i] ?? null, now)),
    deadLetters: SERVICE_NAMES.flatMap((service, i) =>
      (states[i]?.deadLetters ?? []).map((deadLetter) => ({ service, ...deadLetter })),
    ),
    mails,
    alerts,
    slow: noted
      .flatMap(({ instance: id, slow = [] }) => slow.map((one) => ({ instance: id, ...one })))
      .toSorted(newest)
      .slice(0, 50),
    problems: noted
      .flatMap(({ instance: id, problems = [] }) => problems.map((one) => ({ instance: id, ...one })))
      .toSorted(newest),
    clientErrors,
    webVitals: summarize(noted.flatMap(({ webVitals }) => webVitals ?? [])),
  }
}

async function readMails({ db, notifier, songs }: Omit<OpsDeps, 'clock' | 'ops'>): Promise<Ops['mails']> {
  const [unsent, recent] = await Promise.all([
    notifier.list({ query: { unsent: true, limit: 50 } }),
    notifier.list({ query: { limit: 20 } }),
  ])
  const mails = [...unsent.items, ...recent.items.filter(({ state: is }) => is === 'sent')]
  const uids = mails.flatMap(({ uid, toOperator }) => (uid === null || toOperator ? [] : [uid]))
  const [users, titled] = await Promise.all([
    findUsers(db, [...new Set(uids)]),
    withTitles({ songs }, mails).catch(() => mails.map((mail) => ({ ...mail, title: null }))),
  ])
  return titled.map((mail) => ({ ...mail, to: addressOf(mail, users) }))
}

function addressOf({ uid, toOperator }: Message, users: ReadonlyMap<string, User>): string | null {
  const email = uid === null || toOperator ? undefined : users.get(uid)?.email
  return email === undefined ? null : masked(email)
}

/** `a…@example.org`: enough to recognise a person by, without showing the address on a screen that hangs on a wall. */
const masked = (email: string): string =>
  `${Array.from(email)[0] ?? ''}…${email.slice(email.lastIndexOf('@'))}`

const NOT_ANSWERING: Omit<ServiceState, 'deadLetters'> = {
  instances: [],
  backlog: null,
  topics: [],
  gauges: {},
}

function withState(service: ServiceName, answer: ServiceState | null, now: number): OpsService {
  const { instances, backlog, topics, gauges } = answer ?? NOT_ANSWERING
  const listed = instances.map(({ notes: _notes, ...one }) => ({
    ...one,
    silent: now - one.seenAt > SILENT_AFTER_MS,
  }))
  const seen = listed.filter(({ silent }) => !silent).flatMap(({ dependencies }) => dependencies)
  const is = (state: string): boolean => seen.some((one) => one.state === state)
  const worst =
    answer === null || is('down')
      ? 'down'
      : is('degraded') || listed.some(({ silent }) => silent)
        ? 'degraded'
        : 'ok'
  return { service, state: worst, instances: listed, backlog, topics, gauges }
}
