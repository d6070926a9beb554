import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import {
  AccountClosed,
  creditsApi,
  draftsApi,
  type EventEnvelope,
  noticesApi,
  messagesApi,
  notifierApi,
  paymentsApi,
  peopleApi,
  type Placed,
  type ServiceName,
  songsApi,
  topicOf,
} from '@prelude/contracts'
import { createCredits } from '@prelude/credits'
import { createNotifier } from '@prelude/notifier'
import { createPayments } from '@prelude/payments'
import {
  client,
  type Database,
  identitiesFrom,
  inProcessCalls,
  internalApp,
  newId,
  numberTypes,
  once,
  type Query,
  queryOn,
  readReply,
  route,
  type Service,
  serviceDatabase,
  systemClock,
} from '@prelude/platform'
import { WAIT_MS } from '@prelude/platform/eventually'
import { createConsumer, logReader, migratedDatabase, testLogger, wholeLog } from '@prelude/platform/testing'
import { createSongs } from '@prelude/songs'
import { createStorage, openBlobs } from '@prelude/storage'
import { SOURCES as SUBSCRIBED } from '../../invariants/events.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { both, form, MP3 } from '../support/audio-files.ts'
import { steppedClock } from './clock.ts'
import { type Fragile, fragile } from './fragile.ts'
import { TERMS } from './model.ts'
import { startProvider } from './provider.ts'
import { migrate, roleUrl } from '@prelude/platform/migrate'

export const MEMBERS = ['songs', 'credits', 'payments', 'storage', 'notifier'] as const
export type Member = (typeof MEMBERS)[number]
export type Services = Awaited<ReturnType<typeof startServices>>

/** Whose events they receive. No audio is analysed, so that storage emits none. */
export const SOURCES = ['songs', 'credits', 'payments', 'gateway'] as const
export type Source = (typeof SOURCES)[number]
export const NEW_LOGS: Readonly<Record<Source, number>> = { songs: 0, credits: 0, payments: 0, gateway: 0 }

/** Whom the events of wide transactions are about. */
export const BULK = 'bulk'

/** Each is a reader of one log for one service. */
export const LANES = MEMBERS.flatMap((to) =>
  SOURCES.filter((from) => SUBSCRIBED[to]?.includes(from)).map((from) => ({
    from,
    to,
    name: `${from} → ${to}`,
  })),
)
export type Lane = (typeof LANES)[number]

// roles belong to the whole server, which the test run shares, so every test gives them the one password
const PASSWORD = 'test-role-password'

const BRANDING = {
  brandName: 'Prelude',
  publicUrl: 'http://localhost:8080',
  supportEmail: 'help@example.test',
  operatorEmail: 'operator@example.test',
  ...TERMS,
}
const PERSON = { name: 'Ada', firstName: 'Ada', email: 'ada@example.test' }

interface Running {
  readonly db: Fragile
  readonly consumer: ReturnType<typeof createConsumer>
  readonly service: Service
  readonly app: FastifyInstance
}

/**
 * All services but the gateway on one real database, each under its own role, with their real consumers, event logs and log
 * readers. The test alone moves time, delivers events and runs jobs.
 */
export async function startServices(startingCreditsCents: number) {
  const logger = testLogger()
  const clock = steppedClock()
  const identityOf = identitiesFrom('soak-internal-secret')
  const folder = await mkdtemp(join(tmpdir(), 'soak-'))
  const blobs = openBlobs(pathToFileURL(join(folder, 'blobs')).href)
  const provider = await startProvider(join(folder, 'checkout.json'))
  const database = await migratedDatabase(SERVICE_SCHEMAS, async (url) => {
    for (const schema of SERVICE_SCHEMAS) await migrate(url, schema, PASSWORD, logger)
  })
  const { adminUrl } = database
  const admin = new pg.Pool({ connectionString: adminUrl, types: numberTypes, max: 4 })
  admin.on('error', () => {})
  const poolOf = (service: ServiceName) =>
    serviceDatabase({ url: roleUrl(adminUrl, service, PASSWORD), service, clock, logger })
  const apps = new Map<ServiceName, FastifyInstance>()
  const callsOf = (name: ServiceName) => inProcessCalls(apps, identityOf(name), systemClock, WAIT_MS)
  const mailer = { send: async () => {}, ping: async () => {}, close: async () => {} }

  const depsOf = (name: Member, db: Database) => ({
    db,
    clock: clock.ofProcess(name),
    calls: callsOf(name),
    logger,
  })
  type Deps = ReturnType<typeof depsOf>
  const make: Record<Member, (deps: Deps) => Service> = {
    songs: (deps) => createSongs({ ...deps, config: TERMS }),
    credits: (deps) => createCredits({ ...deps, config: { startingCreditsCents } }),
    // the provider's time is that of the machine
    payments: (deps) => createPayments({ ...deps, clock: systemClock, config: provider.config }),
    storage: (deps) =>
      createStorage({
        ...deps,
        blobs,
        generator: null,
        config: { stagingDir: join(folder, 'staging'), draftsAtOnce: 2, draftsASong: 12, draftDays: 7 },
      }),
    notifier: (deps) => createNotifier({ ...deps, instance: 'one', mailer, config: BRANDING }),
  }

  const waiting = new Set<{ left: number; go: () => void }>()
  const onStep = (): void => {
    for (const one of waiting) if (--one.left < 0 && waiting.delete(one)) one.go()
  }
  const crashes: string[] = []
  const pools = new Map<Member, Database>(MEMBERS.map((name) => [name, poolOf(name)]))
  const running = new Map<Member, Running>()
  const start = async (name: Member): Promise<void> => {
    const onCrash = (statement: string): void => {
      crashes.push(`${name} crashes at: ${statement.replaceAll(/\s+/g, ' ')}`)
      running.get(name)?.consumer.abort()
    }
    const db = fragile(pools.get(name) as Database, { onStep, onCrash })
    const service = make[name](depsOf(name, db))
    const app = internalApp({ identity: identityOf(name), clock: systemClock, logger })
    await service.routes(app)
    await app.ready()
    apps.set(name, app)
    const consumer = createConsumer({ service: name, db, subscribers: service.subscribers, logger })
    running.set(name, { db, service, app, consumer })
  }
  const stop = async ({ app, service }: Running): Promise<void> => {
    await app.close()
    await service.close?.()
  }
  for (const name of MEMBERS) await start(name)
  const people = internalApp({ identity: identityOf('gateway'), clock: systemClock, logger })
  for (const operation of [peopleApi.get, peopleApi.closingMail])
    route(people, operation, async ({ params: { uid = '' } }) => ({ uid, ...PERSON }))
  route(people, peopleApi.deleteClosingMail, async () => ({}))
  route(people, peopleApi.mailOutcome, async () => ({}))
  await people.ready()
  apps.set('gateway', people)

  const get = (name: Member): Running => running.get(name) as Running
  let starts = 0
  let restarting: Promise<void> | undefined
  const restart = async (): Promise<void> => {
    for (const name of MEMBERS.filter((one) => get(one).db.isDead)) {
      await stop(get(name))
      await start(name)
      starts++
    }
  }

  let wide: { statementsLeft: number; readonly commit: () => Promise<boolean> } | undefined
  const watched: Query = {
    query: async (sql, params) => {
      if (wide && --wide.statementsLeft < 0) await wide.commit()
      return queryOn(admin).query(sql, params)
    },
  }
  const readers = new Map(SOURCES.map((source) => [source, logReader(watched, topicOf(source))]))
  const calls = callsOf('gateway')
  const gateway = poolOf('gateway')

  return {
    adminUrl,
    clock,
    provider,
    songs: client(calls, 'songs', songsApi),
    thread: client(calls, 'songs', messagesApi),
    credits: client(calls, 'credits', creditsApi),
    drafts: client(calls, 'storage', draftsApi),
    payments: client(calls, 'payments', paymentsApi),
    notices: client(calls, 'notifier', noticesApi),
    messages: client(calls, 'notifier', notifierApi),
    /** Real audio into real storage, as the gateway does it. */
    place: async (songId: string, versions: 'both' | 'first'): Promise<Placed['objects']> => {
      const request = new Response(
        versions === 'both' ? both() : form({ field: 'version1', bytes: MP3, name: 'again.mp3' }),
      )
      const reply = await calls.call('storage', {
        method: 'POST',
        path: `/songs/${songId}/placements${versions === 'both' ? '' : '/some'}`,
        headers: { 'content-type': request.headers.get('content-type') ?? '' },
        body: Readable.from([Buffer.from(await request.arrayBuffer())]),
      })
      return ((await readReply('storage', reply)) as Placed).objects
    },
    /** The songs of the objects in the store. */
    stored: async (): Promise<string[]> => {
      const songs: string[] = []
      for await (const { path } of blobs.list('songs/')) songs.push(path.split('/')[1] ?? '')
      return songs
    },
    /** All that follows this position in a log, by its real reader. */
    read: async (source: Source, after: number): Promise<EventEnvelope[]> => {
      const reader = readers.get(source)
      reader?.markStale()
      const events: EventEnvelope[] = []
      for (;;) {
        const more = (await reader?.after(events.at(-1)?.position ?? after)) ?? []
        if (more.length === 0) return events
        events.push(...more)
      }
    },
    /**
     * Songs appends so many events in one transaction, which commits before the `n`th statement of a log reader, or by `commit`.
     * That answers whether later events were visible before.
     */
    appendWide: async (events: number) => {
      const writer = await admin.connect()
      const drafts = Array.from({ length: events }, () => ({
        ...{ id: newId(), key: BULK, type: 'SongUpdated', version: 1, at: clock.now() },
        ...{ correlationId: newId(), data: { uid: BULK, songId: newId(), revision: 1 } },
      }))
      await writer.query('begin; set local search_path to songs')
      await writer.query('select append_events($1)', [JSON.stringify(drafts)])
      const last = async (query: pg.Pool | pg.PoolClient): Promise<number> =>
        (await query.query<{ last: number }>('select max(position) as last from songs.event')).rows[0]
          ?.last ?? 0
      const own = await last(writer)
      const commit = once(async () => {
        wide = undefined
        const visible = await last(admin)
        await writer.query('commit')
        writer.release()
        return visible > own
      })
      return { commit, commitBefore: (n: number) => void (wide = { statementsLeft: n, commit }) }
    },
    /** One batch through the real consumer. Rejects when the service crashes meanwhile. */
    deliver: async (to: Member, events: readonly EventEnvelope[]): Promise<void> => {
      // as from a broker: what was received is not read again after a crash
      const topic = events[0]?.topic
      if (topic) await get(to).consumer.receive({ ...wholeLog(topic, events), resumesAtCursor: false })
    },
    /** As the gateway does it. */
    closeAccount: (uid: string): Promise<void> =>
      gateway.transaction(async (tx) => {
        const sql = `insert into closed_account (uid, identity, closed_by, closed_at) values ($1, $1, 'person', $2)`
        await tx.query(sql, [uid, clock.now()])
        tx.emit(AccountClosed, { uid })
      }),
    /** Runs a job of the service by its name. */
    run: async (name: Member, jobName: string): Promise<void> => {
      const job = get(name).service.jobs?.find((one) => one.name === jobName)
      if (!job) throw new Error(`${name} has no job ${jobName}`)
      await job.run(new AbortController().signal)
    },
    /** Resolves once the services have begun `n` more statements. */
    afterStatements: (n: number): Promise<void> =>
      new Promise((go) => (n === 0 ? go() : waiting.add({ left: n - 1, go }))),
    /** The service loses its process at the `n`th step from here on. */
    crashAt: (name: Member, n: number): void => get(name).db.crashAt(n),
    /** How often one was started again. */
    starts: () => starts,
    /** Starts those again that crashed; answers whether one was since `before`. */
    recover: async (before: number): Promise<boolean> => {
      await (restarting ??= restart().finally(() => (restarting = undefined)))
      return starts > before
    },
    newCrashes: (): string[] => crashes.splice(0),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...running.values()].map(stop))
      await people.close()
      await Promise.all([admin.end(), gateway.close(), ...[...pools.values()].map((pool) => pool.close())])
      await database[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}
