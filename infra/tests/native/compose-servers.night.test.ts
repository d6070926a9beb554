import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseEnv } from 'node:util'
import { SERVICE_NAMES, TOPICS } from '@prelude/contracts'
import { kafkaAddress, openBus } from '@prelude/platform'
import { testIdentity, testLogger } from '@prelude/platform/testing'
import { Kafka, logLevel } from 'kafkajs'
import { Client } from 'minio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { certificateIn, selfSigned } from '../../docker/certificate.ts'
import { makeSecrets, type Secrets } from '../../docker/secrets.ts'
import { runTool } from '../servers/installed.ts'
import { findKafka } from '../servers/kafka.ts'
import { findS3 } from '../servers/s3.ts'
import { acceptsConnections, freePort, type Process, startProcess } from '../servers/server-process.ts'
import { createTopics } from '../../prepare/topics.ts'
import { whyMissing } from '../support/with-server.ts'
import { openBlobs } from '@prelude/storage'

/** Servers of docker-compose.yml, with their settings and generated secrets, as processes of this machine. */

const ROOT = resolve(import.meta.dirname, '../../..')
const compose = parse(await readFile(join(ROOT, 'docker-compose.yml'), 'utf8'), {
  merge: true,
  maxAliasCount: -1,
}) as { services: Record<string, { environment?: Record<string, string>; command?: string[] }> }

let dir = ''
let secrets: Secrets = {}
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'prelude-compose-'))
  secrets = await makeSecrets(join(dir, 'secrets'), {})
})
afterAll(() => rm(dir, { recursive: true }))

const missingKafka = await whyMissing('Kafka with the settings of docker-compose.yml', findKafka)

describe.skipIf(missingKafka !== null)('the broker of docker-compose.yml', () => {
  let broker: Process | undefined
  let port = 0
  beforeAll(async () => {
    port = await freePort()
    const pem = selfSigned('localhost')
    await writeFile(join(dir, 'secrets/broker.pem'), pem)
    setDefaultCACertificates([...getCACertificates('default'), certificateIn(pem)])
    broker = await startBroker(port)
  })
  afterAll(() => broker?.stop())

  /** How a service of this machine, instead of a container, connects. */
  const urlOf = (name: string): string =>
    (secrets[`${name}-bus-url`] ?? '').replace('@kafka:9092', `@localhost:${port}`)

  /** Writes a payment that nobody made, without the product's adapter. */
  const forge = async (url: string): Promise<void> => {
    const { brokers, sasl } = kafkaAddress(url)
    const client = new Kafka({
      brokers: [...brokers],
      ...(sasl && { ssl: true, sasl }),
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
    })
    const producer = client.producer({ allowAutoTopicCreation: false })
    await producer.connect()
    try {
      await producer.send({ topic: 'prelude.payments', messages: [{ key: 'eve', value: 'forged' }] })
    } finally {
      await producer.disconnect()
    }
  }

  test('lets a service write to its own topic alone, and only over TLS with its password', async () => {
    await createTopics(urlOf('prepare'), TOPICS, testLogger())
    for (const name of SERVICE_NAMES)
      if (name === 'payments') await forge(urlOf(name))
      else await expect(forge(urlOf(name))).rejects.toThrow(/[Nn]ot authorized/)
    const guessed = urlOf('payments').replace(/:[\w-]+@/, ':guessed@')
    await expect(forge(guessed)).rejects.toThrow(/[Aa]uthentication/)
    for (const url of [guessed, `kafka://localhost:${port}`]) {
      const bus = openBus(url, testLogger(), { identity: testIdentity('payments') })
      await expect(bus.ping()).rejects.toThrow('Kafka')
      await bus.close()
    }
  })
})

const missingS3 = await whyMissing('S3 with the settings of docker-compose.yml', findS3)

describe.skipIf(missingS3 !== null)('the object store of docker-compose.yml', () => {
  let store: Process | undefined
  let port = 0
  beforeAll(async () => {
    port = await freePort()
    store = await startStore(port)
  })
  afterAll(() => store?.stop())

  test("gives the services' key a bucket of its own, no other one, and no users", async () => {
    const url = new URL((secrets['blobs-url'] ?? '').replace('@s3:7070', `@127.0.0.1:${port}`))
    const blobs = openBlobs(url.href)
    await blobs.put('songs/1', Readable.from(['la']), { sizeBytes: 2, contentType: 'audio/mpeg' })
    expect((await buffer((await blobs.get('songs/1'))!)).toString()).toBe('la')
    await blobs.delete('songs/1')
    await blobs.close()

    const place = { endPoint: '127.0.0.1', port, useSSL: false, region: 'us-east-1' }
    const { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey } = rootKeys()
    const root = new Client({ ...place, accessKey, secretKey })
    await root.makeBucket('other')
    await root.putObject('other', 'one', 'of the root')
    url.pathname = '/other'
    const other = openBlobs(url.href)
    const denied = { code: 'AccessDenied' }
    await expect(other.get('one')).rejects.toMatchObject(denied)
    await expect(Array.fromAsync(other.list(''))).rejects.toMatchObject(denied)
    const put = other.put('two', Readable.from(['x']), { sizeBytes: 1, contentType: 'audio/mpeg' })
    await expect(put).rejects.toMatchObject(denied)
    await other.close()

    const users = ['admin', '--endpoint-url', `http://127.0.0.1:${port}`, 'list-users']
    const listAs = async (access: string, secret: string): Promise<void> =>
      runTool(await findS3(), users, { env: { ADMIN_ACCESS_KEY: access, ADMIN_SECRET_KEY: secret } })
    await listAs(accessKey, secretKey)
    await expect(listAs(url.username, url.password)).rejects.toThrow(/[Dd]enied/)
  })
})

const rootKeys = (): Record<'ROOT_ACCESS_KEY' | 'ROOT_SECRET_KEY', string> =>
  parseEnv(secrets['s3.env'] ?? '') as ReturnType<typeof rootKeys>

/** With the command of its container, on folders and a port of this machine. */
async function startStore(port: number): Promise<Process> {
  const users = join(dir, 'users')
  for (const folder of [users, 'objects/buckets', 'objects/attributes'])
    await mkdir(resolve(dir, folder), { recursive: true })
  await copyFile(join(dir, 'secrets/s3-users.json'), join(users, 'users.json'))
  const own = { ':7070': `127.0.0.1:${port}`, '/run/secrets': users, '/objects': join(dir, 'objects') }
  return startProcess({
    name: 's3',
    dir: join(dir, 's3'),
    command: await findS3(),
    args: (compose.services['s3']?.command ?? []).map((text) => replaced(text, own)),
    env: rootKeys(),
    healthy: async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/health`)
      if (!ok) throw new Error('not healthy')
    },
  })
}

/** As the image does it: its settings are those of the environment, and the folder is formatted with them. */
async function startBroker(port: number): Promise<Process> {
  const classPath = ['-cp', await findKafka()]
  const settings = join(dir, 'settings')
  await mkdir(settings)
  await writeFile(join(settings, 'server.properties'), '')
  const own: Record<string, string> = {
    $$: '$',
    '/run/secrets': join(dir, 'secrets'),
    '/var/lib/kafka/data': join(dir, 'events'),
    'CLIENTS://:9092': `CLIENTS://localhost:${port}`,
    'CLIENTS://kafka:9092': `CLIENTS://localhost:${port}`,
    'localhost:9093': `localhost:${await freePort()}`,
    'localhost:9094': `localhost:${await freePort()}`,
  }
  const environment = Object.entries(compose.services['kafka']?.environment ?? {})
  const env = Object.fromEntries(environment.map(([name, value]) => [name, replaced(value, own)]))
  const folders = ['default', 'mounted', 'final'].flatMap((kind) => [`--${kind}-configs-dir`, settings])
  const made = spawnSync('java', [...classPath, 'kafka.docker.KafkaDockerWrapper', 'setup', ...folders], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(made.stdout + made.stderr)
  return startProcess({
    name: 'kafka',
    dir: join(dir, 'kafka'),
    command: 'java',
    args: ['-Xmx384m', ...classPath, 'kafka.Kafka', join(settings, 'server.properties')],
    healthy: () => acceptsConnections(port),
  })
}

/** With what is different on this machine. */
const replaced = (text: string, own: Readonly<Record<string, string>>): string =>
  Object.entries(own).reduce((sofar, [theirs, ours]) => sofar.replaceAll(theirs, () => ours), text)
