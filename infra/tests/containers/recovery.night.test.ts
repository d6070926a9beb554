import { readFileSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { Client } from 'minio'
import { expect, test } from 'vitest'
import { PSQL } from '../faults/scene.ts'
import { freePort } from '../servers/server-process.ts'
import { MP3 } from '../support/audio-files.ts'
import { deliveredSong, somebody, unlockedOperator } from '../support/callers.ts'
import { BUILD_WITHIN_MS, noContainers, PROJECT, startContainers } from './product-in-containers.ts'

/** Point-in-time recovery as docs/operations/backup.md says it: its settings, its commands, in the containers that it starts. */

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/operations/backup.md'), 'utf8')
const [, section = ''] = /^## Point-in-time recovery\n([^]*?)^## /m.exec(page) ?? []
const [keys = '', settings = '', recovery = ''] = [...section.matchAll(/^```sh\n([^]*?)^```/gm)].map(
  ([, lines = '']) => lines,
)
const [, list = ''] = /Check it with\s`(.+)`/.exec(section) ?? []

const missing = await noContainers()
const ROOT = { accessKey: 'root', secretKey: 'secret-of-the-root' }
const KEY = { access: 'archive', secret: 'secret-of-the-archive' }

/** An S3 store beside the product. */
const STORE = `services:
  store:
    extends: { file: infra/docker/images.yml, service: s3 }
    command: [--port=:7070, --quiet, --iam-dir=/store/users, posix, --sidecar=/store/attributes, /store/objects]
    environment: { ROOT_ACCESS_KEY: ${ROOT.accessKey}, ROOT_SECRET_KEY: ${ROOT.secretKey} }
    networks: [archive]
    ports: ['127.0.0.1:\${STORE_PORT}:7070']
    volumes: ['./store:/store']
`

/** Makes the bucket of the page, in which the key may list, read and write, but not delete. */
async function makeBucket(port: number): Promise<void> {
  const root = new Client({ endPoint: '127.0.0.1', port, useSSL: false, region: 'us-east-1', ...ROOT })
  await eventually(() => root.makeBucket('bucket'))
  const allow = (resource: string, ...actions: string[]) => ({
    Effect: 'Allow',
    Principal: { AWS: [KEY.access] },
    Action: actions.map((action) => `s3:${action}`),
    Resource: `arn:aws:s3:::${resource}`,
  })
  const Statement = [allow('bucket', 'ListBucket'), allow('bucket/*', 'GetObject', 'PutObject')]
  await root.setBucketPolicy('bucket', JSON.stringify({ Statement }))
}

test.skipIf(missing !== null)(
  'the database is recovered to a second by the commands of the docs; a key that may not delete causes no second base backup',
  { timeout: BUILD_WITHIN_MS },
  async () => {
    const port = await freePort()
    await using containers = await startContainers({ STORE_PORT: String(port) })
    const { folder, compose, run } = containers
    const shell = (commands: string): string => run('sh', '-ec', commands)
    const sql = (statement: string): string => compose('exec', '-T', ...PSQL, statement).trim()

    for (const name of ['users', 'attributes', 'objects'])
      await mkdir(join(folder, 'store', name), { recursive: true })
    const accounts = { accessAccounts: { [KEY.access]: { ...KEY, role: 'user' } } }
    await writeFile(join(folder, 'store/users/users.json'), JSON.stringify(accounts))
    await writeFile(join(folder, 'docker-compose.override.yml'), STORE)
    const filled = keys
      .replace('https://store.example', 'http://store:7070')
      .replace(/ID=…/, `ID=${KEY.access}`)
      .replace(/KEY=…/, `KEY=${KEY.secret}`)
    await writeFile(join(folder, 'infra/docker/secrets/archive.env'), filled, { mode: 0o600 })
    const withStore = settings
      .replace(/^COMPOSE_FILE=.*/m, '$&:docker-compose.override.yml')
      .replace('ARCHIVE_DAYS=14', 'ARCHIVE_DAYS=0') // any but the last base backup is to be deleted
    await appendFile(join(folder, '.env'), withStore)
    compose('up', '--detach', '--wait', 'store')
    await makeBucket(port)

    run('make', 'containers')
    // those that have ended
    const backups = (): number => shell(list).match(/^\d{8}T\d{6} +\d{4}-/gm)?.length ?? 0
    await eventually(() => expect(backups()).toBe(1))
    compose('restart', 'base-backup')
    await eventually(() => expect(backups()).toBe(2))
    await eventually(() => expect(compose('logs', 'base-backup')).toMatch(/AccessDenied[^]*at 02:30 UTC/))

    const product = await containers.product()
    const { owner: ada, song } = await deliveredSong(product, await unlockedOperator(product))
    const last = sql('select now()')
    // a bad statement; the second before it has all of before
    const before = await eventually(() => {
      const at = sql(`
        with gone as (delete from songs.song where now() > '${last}'::timestamptz + interval '3 seconds' returning 1)
        select to_char(now() - interval '1 second', 'YYYY-MM-DD HH24:MI:SS+00') from gone`)
      expect(at).not.toBe('')
      return at
    })
    await somebody(product, { email: 'late@example.test' })
    const base = compose('ps', '--quiet', 'base-backup').trim()
    expect(run('docker', 'inspect', '--format', '{{.State.Status}} {{.RestartCount}}', base)).toBe(
      'running 0\n',
    )
    expect(backups()).toBe(2)

    const commands = recovery
      .replace('2026-11-23 11:59:59+00', before)
      .replaceAll(' prelude_', ` ${PROJECT}_`)
    expect(commands).toContain(before)
    expect(shell(commands)).toContain(' 0 broken')

    expect(sql(`select email from gateway.user_record where email like '%@example.test'`)).toBe(ada.email)
    const again = await somebody(product, { email: ada.email })
    expect(again.uid).toBe(ada.uid)
    const audio = await again.call('GET', `/api/songs/${song.id}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
  },
)
