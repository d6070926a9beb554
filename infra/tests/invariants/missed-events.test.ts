import { type EventEnvelope, type ServiceName, songsApi, STANDARD_TERMS, topicOf } from '@prelude/contracts'
import { createCredits } from '@prelude/credits'
import {
  client,
  inProcessCalls,
  internalApp,
  newId,
  replayJob,
  type Service,
  serviceDatabase,
  withOwnerConnection,
} from '@prelude/platform'
import {
  createConsumer,
  migratedDatabase,
  testClock,
  testIdentity,
  testLogger,
  wholeLog,
} from '@prelude/platform/testing'
import { createSongs } from '@prelude/songs'
import { expect, onTestFinished, test } from 'vitest'
import { checkInvariants } from '../../invariants/check.ts'
import { type MissedEvent, missedEvents, queueMissed } from '../../invariants/missed-events.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { migrate, roleUrl } from '@prelude/platform/migrate'

// roles belong to the whole server, which the test run shares, so every test gives them the one password
const PASSWORD = 'test-role-password'
const UID = 'ada'
const COUNT = 'the cursors of credits for songs have taken each event up to them once'

/** Songs and credits on one database; the test delivers the events. Every person begins with 50 credits. */
async function songsAndCredits() {
  const [logger, clock] = [testLogger(), testClock()]
  const { adminUrl, [Symbol.asyncDispose]: drop } = await migratedDatabase(SERVICE_SCHEMAS, async (url) => {
    for (const schema of SERVICE_SCHEMAS) await migrate(url, schema, PASSWORD, logger)
  })
  const databaseOf = (service: ServiceName) =>
    serviceDatabase({ url: roleUrl(adminUrl, service, PASSWORD), service, clock, logger })
  const db = { songs: databaseOf('songs'), credits: databaseOf('credits') }
  const services: Record<'songs' | 'credits', Service> = {
    songs: createSongs({ db: db.songs, clock, config: STANDARD_TERMS }),
    credits: createCredits({ db: db.credits, clock, config: { startingCreditsCents: 5_000 } }),
  }
  const app = internalApp({ identity: testIdentity('songs'), clock, logger })
  await services.songs.routes(app)
  await app.ready()
  const calls = inProcessCalls(new Map([['songs', app]]), testIdentity('gateway'), clock)
  const songs = client(calls, 'songs', songsApi)
  const asOwner = (sql: string) => withOwnerConnection(adminUrl, (owner) => owner.query(sql))
  onTestFinished(async () => {
    await app.close()
    await db.songs.close()
    await db.credits.close()
    await drop()
  })
  const consumerOf = (name: 'songs' | 'credits') =>
    createConsumer({ service: name, db: db[name], subscribers: services[name].subscribers, logger })
  /** All of the log, which the consumer drops as far as it has handled it. */
  const deliver = async (from: 'songs' | 'credits', to: 'songs' | 'credits'): Promise<void> => {
    const log = await db[from].query<EventEnvelope>(
      `select id, key, type, version, '${topicOf(from)}' as topic, position, at, correlation_id as "correlationId", data
       from event order by position`,
    )
    const consumer = consumerOf(to)
    await consumer.receive(wholeLog(topicOf(from), log.rows))
    await consumer.close()
  }
  return {
    adminUrl,
    asOwner,
    deliver,
    /** Until no event is left: what credits answers changes the song, which credits ignores. */
    settle: async (): Promise<void> => {
      await deliver('songs', 'credits')
      await deliver('credits', 'songs')
      await deliver('songs', 'credits')
    },
    request: async (): Promise<string> => {
      const id = newId()
      const body = { uid: UID, username: 'Ada', email: 'ada@example.test', lyrics: 'la', style: 'folk' }
      await songs.request({ params: { id }, body })
      return id
    },
    chargeOf: async (id: string) => (await songs.get({ params: { id } })).charge,
    replay: () =>
      replayJob({ db: db.credits, consumer: consumerOf('credits'), clock, logger }).run(
        new AbortController().signal,
      ),
    missed: (): Promise<MissedEvent[]> => Array.fromAsync(missedEvents(adminUrl, { clock, logger })),
    broken: async (): Promise<string[]> => {
      // payments, which does not run, has handled all: else every person has events under way
      await asOwner(
        `insert into payments.cursor (topic, partition, partitions, position, taken)
         select 'prelude.credits', 0, 1, max(position), count(*) from credits.event
         on conflict (topic, partition) do update set position = excluded.position, taken = excluded.taken`,
      )
      const findings = await checkInvariants(adminUrl, clock.now())
      return findings.filter(({ breaches }) => breaches > 0).map(({ name }) => name.replace('credits: ', ''))
    },
  }
}

/** Credits moves its cursor to the end of songs' log; of the last event that it passes it counts so many. */
const passWithout = (counted: number): string =>
  `update credits.cursor set taken = taken - ${1 - counted}
     + (select count(*) from songs.event e where e.position > cursor.position),
     position = (select max(position) from songs.event)
   where topic = 'prelude.songs'`

test.for([
  {
    what: 'as if it did not exist',
    counted: 0,
    broken: [COUNT, 'every request was answered by the ledger'],
  },
  {
    what: 'as one of a type that it ignores',
    counted: 1,
    broken: ['every request was answered by the ledger'],
  },
])(
  'an event that a consumer passed $what breaks invariants, is found, and is handled once',
  async ({ counted, broken }) => {
    const product = await songsAndCredits()
    await product.request()
    await product.deliver('songs', 'credits')
    const lost = await product.request()
    await product.asOwner(passWithout(counted))
    await product.request()
    await product.settle()
    // what is 14 days old goes, and hides nothing
    await product.asOwner('delete from songs.event where position = (select min(position) from songs.event)')
    await product.asOwner('update songs.event_removal set removed = 1')
    expect(await product.broken()).toEqual(broken)
    const missed = await product.missed()
    expect(missed).toMatchObject([
      { consumer: 'credits', source: 'songs', type: 'SongRequested', key: UID, error: null },
    ])
    await queueMissed(product.adminUrl, missed)
    await product.replay()
    await product.settle()
    expect(await product.chargeOf(lost)).toBe('charged')
    expect(await product.missed()).toEqual([])
    expect(await product.broken()).toEqual([])
  },
)

test('a request at a position that a consumer has passed, since the log lost events, is found and handled', async () => {
  const product = await songsAndCredits()
  await product.request()
  await product.settle()
  expect(await product.broken()).toEqual([])
  const end = '(select max(position) from songs.event)'
  await product.asOwner(`delete from songs.event where position = ${end}`)
  await product.asOwner(`select setval('songs.event_position_seq', ${end})`)
  expect(await product.broken()).toContain('no cursor of credits is beyond the log of songs')
  const lost = await product.request()
  await product.settle()
  expect(await product.broken()).toEqual(['every request was answered by the ledger'])
  const missed = await product.missed()
  expect(missed).toMatchObject([{ consumer: 'credits', type: 'SongRequested' }])
  await queueMissed(product.adminUrl, missed)
  await product.replay()
  await product.settle()
  expect(await product.chargeOf(lost)).toBe('charged')
  expect(await product.broken()).toEqual([])
})
