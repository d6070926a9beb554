import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ServiceName, SERVICE_NAMES, songsApi, UserRegistered } from '@prelude/contracts'
import {
  client,
  httpCalls,
  identitiesFrom,
  newId,
  serviceDatabase,
  systemClock,
  withOwnerConnection,
} from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { testDatabase, testLogger } from '@prelude/platform/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepare } from '../../prepare/prepare.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { freePort } from '../support/product-process.ts'
import { makeNextVersion } from './next-version.ts'
import { MASTER, ROOT, settingsFor } from './service-alone.ts'
import { migrate, roleUrl } from '@prelude/platform/migrate'

/** This version and a next one, with a new event and a new version of an event, side by side through updates and rollbacks. */

type Service = 'songs' | 'credits'
const ROLE_PASSWORD = 'test-role-password'
const PEOPLE = ['ada', 'ben', 'eve']

let next: string
beforeAll(async () => {
  next = await mkdtemp(join(tmpdir(), 'prelude-next-version-'))
  await makeNextVersion(next)
})
afterAll(() => rm(next, { recursive: true }))

async function startProduct() {
  const database = await testDatabase()
  const { adminUrl } = database
  const urlOf = (schema: string): string => roleUrl(adminUrl, schema, ROLE_PASSWORD)
  const databaseUrls = Object.fromEntries(SERVICE_NAMES.map((name) => [name, urlOf(name)]))
  await prepare(
    { adminUrl, busUrl: urlOf('bus'), kvUrl: urlOf('kv'), auditUrl: null, databaseUrls },
    testLogger(),
  )
  const schema = SERVICE_SCHEMAS.find((one) => one.schema === 'songs')!
  const migration = pathToFileURL(join(next, 'services/songs/migrations/'))
  await migrate(
    adminUrl,
    { ...schema, migrations: { ...schema.migrations, migration } },
    ROLE_PASSWORD,
    testLogger(),
  )

  const query = <R extends object>(sql: string): Promise<R[]> =>
    withOwnerConnection(adminUrl, async (owner) => (await owner.query<R>(sql)).rows)
  const running = new Map<Service, { readonly child: ChildProcess; readonly address: string }>()
  const requested: string[] = []

  const start = async (service: Service, cwd: string) => {
    const port = String(await freePort())
    const child = spawn(process.execPath, [`services/${service}/src/main.ts`], {
      cwd,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        LOG_LEVEL: 'error',
        ...settingsFor(service),
        DATABASE_URL: urlOf(service),
        BUS_URL: urlOf('bus'),
        INTERNAL_PORT: port,
        ...(service === 'credits' && { STARTING_CREDITS: '1000' }),
      },
    })
    const address = `http://127.0.0.1:${port}`
    await eventually(async () => expect((await fetch(`${address}/readyz`)).status).toBe(200))
    return { child, address }
  }
  const stop = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  const requestSongs = async (): Promise<void> => {
    const addresses = { songs: running.get('songs')!.address }
    const songs = client(
      httpCalls(addresses, identitiesFrom(MASTER)('gateway'), systemClock),
      'songs',
      songsApi,
    )
    for (const uid of PEOPLE) {
      const id = newId()
      const body = { uid, username: uid, email: `${uid}@example.com`, lyrics: 'la', style: 'folk' }
      await songs.request({ params: { id }, body })
      requested.push(id)
    }
  }
  const register = async (): Promise<void> => {
    const service: ServiceName = 'gateway'
    const db = serviceDatabase({ url: urlOf(service), service, clock: systemClock, logger: testLogger() })
    await db.transaction(async (tx) => {
      for (const uid of PEOPLE) tx.emit(UserRegistered, { uid })
    })
    await db.close()
    await eventually(async () =>
      expect(await query('select from credits.account')).toHaveLength(PEOPLE.length),
    )
  }

  for (const service of ['songs', 'credits'] as const) running.set(service, await start(service, ROOT))
  await register()
  return {
    query,
    requestSongs,
    requested,
    /** A rolling update, or a rollback: the new process beside the old one, which then stops. */
    replace: async (service: Service, version: string): Promise<void> => {
      const old = running.get(service)!
      const young = await start(service, version)
      await requestSongs()
      running.set(service, young)
      await requestSongs()
      await stop(old.child)
      await requestSongs()
    },
    waiting: () =>
      query<{ service: string; type: string; version: number }>(
        SERVICES.map(
          (
            name,
          ) => `select distinct '${name}' as service, type, unknown_version as version from ${name}.dead_letter
            where unknown_version is not null and resolved_at is null`,
        ).join(' union all '),
      ),
    alarms: async () => {
      const texts = [...running.values()].map(async ({ address }) =>
        (await fetch(`${address}/metrics`)).text(),
      )
      return (await Promise.all(texts)).flatMap(
        (text) => text.match(/^prelude_(?:dead_letters|parked_keys)\{.*[1-9]$/gm) ?? [],
      )
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...running.values()].map(({ child }) => stop(child)))
      await database[Symbol.asyncDispose]()
    },
  }
}
const SERVICES: readonly Service[] = ['songs', 'credits']

const REQUESTED_2 = { service: 'credits', type: 'SongRequested', version: 2 }
const PRICED = { service: 'songs', type: 'SongPriced', version: 1 }

test.for([
  ['songs', REQUESTED_2, PRICED],
  ['credits', PRICED, REQUESTED_2],
] as const)(
  'an update that begins with %s and its rollback in the same order lose no effect of what only one version knows',
  async ([first, onTheWay, onTheWayBack]) => {
    await using product = await startProduct()
    const second = first === 'songs' ? 'credits' : 'songs'
    await product.requestSongs()
    for (const [version, waits] of [
      [next, onTheWay],
      [ROOT, onTheWayBack],
      [next, null],
    ] as const) {
      await product.replace(first, version)
      if (waits) {
        await eventually(async () => expect(await product.waiting()).toContainEqual(waits))
        expect(await product.alarms()).toEqual([])
      }
      await product.replace(second, version)
    }

    await eventually(async () => {
      expect(await product.query('select from songs.song where charge <> $$charged$$')).toEqual([])
      expect(await product.waiting()).toEqual([])
      for (const name of SERVICES) expect(await product.query(`select from ${name}.parked_key`)).toEqual([])
    })
    const charged = await product.query<{ id: string }>(
      `select data ->> 'songId' as id from credits.event where type = 'CreditsCharged' order by 1`,
    )
    expect(charged.map(({ id }) => id)).toEqual(product.requested.toSorted())
    const priced = `select data ->> 'songId' as id from credits.event where type = 'SongPriced' order by 1`
    expect(await product.query('select id from songs.priced_song order by 1')).toEqual(
      await product.query(priced),
    )
    expect((await product.query(priced)).length).toBeGreaterThan(PEOPLE.length)
  },
)
