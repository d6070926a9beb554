import { execFile } from 'node:child_process'
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Song } from '@prelude/contracts'
import { withOwnerConnection } from '@prelude/platform'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { serverUser } from '../../embedded/postgres-cluster.ts'
import { withDatabase } from '../../embedded/with-database.ts'
import { findBarman } from '../servers/barman.ts'
import { findProgram } from '../servers/installed.ts'
import { findS3, startS3 } from '../servers/s3.ts'
import type { NativeServer } from '../servers/server-process.ts'
import { type Link, startLink } from '../servers/link.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { giveCredits, type Somebody, somebody, submit, unlockedOperator } from '../support/callers.ts'
import { balanceIs } from '../support/checkout.ts'
import { type ProductProcess, startProductProcess } from '../support/product-process.ts'
import { prelude } from '../support/run-command.ts'
import { whyMissing } from '../support/with-server.ts'

/** The scripts of the image of PostgreSQL, run as there, against a real server and a real object store. */

/** Bytes of a segment of WAL. */
const SEGMENT = 16 * 2 ** 20
const SCRIPTS = resolve(import.meta.dirname, '../../docker/postgres')
const KEYS = { accessKey: 'archive', secretKey: 'a-secret-of-the-archive' }
const ADA = { email: 'ada@example.test', name: 'Ada Obi' }
const run = promisify(execFile)

const missing = await whyMissing('archive of PostgreSQL (Barman, S3)', () => {
  findProgram('psql')
  return Promise.all([findBarman(), findS3()])
})

describe.skipIf(missing !== null)('a database with an archive', () => {
  let folder = ''
  let store: NativeServer
  let link: Link
  let product: ProductProcess | undefined
  let env: Record<string, string> = {}
  const dataDir = (): string => join(folder, 'data')
  const cluster = (): string => join(dataDir(), 'postgres', 'cluster')
  const onDatabase = <T>(work: (url: string) => Promise<T>): Promise<T> =>
    withDatabase({ dataDir: dataDir(), adminUrl: undefined }, work)
  /** Runs a script of the image as the server's user, in the data folder, which the embedded server knows as /proc/self/cwd. */
  const script = async (name: string, args: readonly string[], more: Record<string, string> = {}) =>
    run(join(folder, name), args, {
      ...(await serverUser(cluster())),
      cwd: cluster(),
      env: { ...env, ...more },
    })

  beforeAll(async () => {
    // the server's user may not enter the folder of the checkout
    folder = await mkdtemp(join(tmpdir(), 'prelude-archive-'))
    await chmod(folder, 0o755)
    for (const name of ['base-backup', 'recover', 'archiving-entrypoint'])
      await copyFile(join(SCRIPTS, name), join(folder, name))
    store = await startS3({ dir: join(folder, 'store'), ...KEYS })
    await mkdir(join(folder, 'store', 'objects', 'archive')) // the bucket
    link = await startLink([store.port])
    env = {
      ...(await findBarman()),
      ARCHIVE: 's3://archive',
      AWS_ACCESS_KEY_ID: KEYS.accessKey,
      AWS_SECRET_ACCESS_KEY: KEYS.secretKey,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${link.port}`,
      AWS_DEFAULT_REGION: 'us-east-1',
      PGDATA: cluster(),
    }
    await mkdir(join(dataDir(), 'postgres'), { recursive: true })
    await onDatabase(archiveAll)
  })
  afterAll(async () => {
    await product?.stop()
    await link.close()
    await store.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Sets what the image's entrypoint sets; the embedded server starts with an environment of its own. */
  async function archiveAll(url: string): Promise<void> {
    const print = '#!/bin/sh\nprintf "%s\\n" "$@"\n'
    await writeFile(join(folder, 'docker-entrypoint.sh'), print, { mode: 0o755 })
    const { stdout } = await run(join(folder, 'archiving-entrypoint'), ['postgres'], {
      env: { PATH: `${folder}:/usr/bin:/bin` },
    })
    const variables = Object.entries(env).map(([name, value]) => `${name}='${value}'`)
    const settings = [...stdout.matchAll(/^(\w+)=(.*)$/gm)]
    expect(settings.length).toBe(4)
    for (const [, name = '', value = ''] of settings) {
      const own = name.endsWith('_command') ? `export ${variables.join(' ')}; ${value}` : value
      await query(url, `alter system set ${name} = ${pg.escapeLiteral(own)}`)
    }
    await query(url, `alter system set idle_in_transaction_session_timeout = '500ms'`)
  }

  async function baseBackup(url: string): Promise<void> {
    const { port, password } = new URL(url)
    const to = { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres', PGPASSWORD: password }
    link.slow(20) // it takes longer than a transaction may idle
    await script('base-backup', [], to)
    await link.heal()
  }

  /** Answers the time of one second before it; all of before has its second, too. */
  async function badStatement(url: string): Promise<string> {
    const [last] = await query<{ at: string }>(url, 'select now()::text as at')
    return eventually(async () => {
      const [row] = await query<{ at: string }>(
        url,
        `with gone as (
           delete from songs.song where now() > '${last?.at}'::timestamptz + interval '1.5 seconds' returning 1
         ) select (now() - interval '1 second')::text as at from gone`,
      )
      return row?.at ?? expect.fail('it is too early')
    })
  }

  test('is recovered to one second before a bad statement, and the product goes on from there', async () => {
    product = await startProductProcess({ DATA_DIR: dataDir() })
    const operator = await unlockedOperator(product)
    const ada = await somebody(product, ADA)
    await giveCredits(operator, ada.uid, 50)
    await onDatabase(baseBackup)
    const ready = await charged(ada)
    expect((await fulfil(operator, ready)).status).toBe(200)
    await onDatabase(isArchivedAfterAnOutage)
    const at = await onDatabase(badStatement)
    await somebody(product) // after it
    await product.stop()

    const { uid, gid } = await stat(cluster())
    await chown(join(dataDir(), 'postgres'), uid, gid) // as in the image, it may make a folder beside its own
    await script('recover', [at])
    await onDatabase(async (url) => {
      const servers = { DATABASE_ADMIN_URL: url, BUS_URL: url }
      expect(prelude({ ...process.env, ...servers }, ['after-recovery'])).toContain('can continue')
      expect(await query(url, 'select id::text from songs.song')).toEqual([{ id: ready }])
      const people = await query(url, `select email from gateway.user_record`)
      expect(people).toHaveLength(2) // without the one who came after it
    })

    await product.start()
    const again = await somebody(product, ADA)
    await balanceIs(again, 40)
    const audio = await again.call('GET', `/api/songs/${ready}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
    await charged(again)
    expect(product.checkInvariants('--deep')).toContain(' 0 broken')
  })

  async function isArchivedAfterAnOutage(url: string): Promise<void> {
    await eventually(async () => expect(await unarchivedBytes()).toBeLessThan(SEGMENT))
    await link.cut()
    await query(url, 'select pg_switch_wal()')
    expect(await unarchivedBytes()).toBeGreaterThanOrEqual(SEGMENT)
    await link.heal()
    await eventually(async () => expect(await unarchivedBytes()).toBeLessThan(SEGMENT))
  }

  async function unarchivedBytes(): Promise<number> {
    const metrics = await (await fetch(`${product?.endpoints.health['notifier']}/metrics`)).text()
    return Number(/^prelude_wal_unarchived_bytes\S* (\S+)$/m.exec(metrics)?.[1])
  }
})

const query = <R extends object>(adminUrl: string, sql: string): Promise<R[]> =>
  withOwnerConnection(adminUrl, async (client) => (await client.query<R>(sql)).rows)

async function charged(person: Somebody): Promise<string> {
  const id = await submit(person)
  await eventually(async () => {
    const { body } = await person.call<Song>('GET', `/api/songs/${id}`)
    expect(body.charge).toBe('charged')
  })
  return id
}
