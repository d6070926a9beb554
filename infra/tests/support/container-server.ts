import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ContainerRuntimeClient,
  GenericContainer,
  getContainerRuntimeClient,
  ImageName,
  type StartedTestContainer,
  Wait,
} from 'testcontainers'
import { NOT_DURABLE, POSTGRES_SETTINGS } from '../../embedded/postgres.ts'
import { TEXT_RULES } from '../../embedded/postgres-cluster.ts'
import { PULLED } from '../servers/images.ts'
import { freePort } from '../servers/server-process.ts'
import {
  folderFor,
  isAlive,
  type RealServer,
  removeLeftOver,
  S3_KEYS,
  type ServerName,
} from './server-data.ts'

interface Own {
  readonly host: string
  readonly port: number
  /** A folder of this machine for data that a test reads. */
  readonly dir: string
  readonly password: string
}

interface Recipe {
  /** Its name in docker-compose.yml. */
  readonly service: string
  readonly port: number
  readonly url: (own: Own) => string
  readonly prepare: (container: GenericContainer, own: Own) => GenericContainer
}

const settingsOf = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

const RECIPES: Partial<Record<ServerName, Recipe>> = {
  PostgreSQL: {
    service: 'postgres',
    port: 5432,
    url: ({ host, port, password }) => `postgres://postgres:${password}@${host}:${port}/prelude`,
    prepare: (container, { password }) =>
      container
        .withCommand(['postgres', ...settingsOf({ ...POSTGRES_SETTINGS, ...NOT_DURABLE })])
        .withEnvironment({
          POSTGRES_DB: 'prelude',
          POSTGRES_PASSWORD: password,
          POSTGRES_INITDB_ARGS: TEXT_RULES.join(' '),
        })
        .withSharedMemorySize(256 * 1024 * 1024)
        // over TCP: during initdb it listens on a socket alone
        .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready -h 127.0.0.1 -U postgres -d prelude')),
  },
  Redis: {
    service: 'redis',
    port: 6379,
    url: ({ host, port }) => `redis://${host}:${port}`,
    prepare: (container) =>
      container
        .withCommand(['redis-server', '--databases', '64', '--appendonly', 'yes', '--protected-mode', 'no'])
        // not by its log: after a restart the line may be written before the wait begins
        .withWaitStrategy(Wait.forSuccessfulCommand('redis-cli ping | grep -q PONG')),
  },
  S3: {
    service: 's3',
    port: 7070,
    url: ({ host, port }) => {
      const access = [S3_KEYS.accessKey, S3_KEYS.secretKey].map(encodeURIComponent).join(':')
      return `s3://${access}@${host}:${port}/prelude?tls=false`
    },
    prepare: (container, { dir }) =>
      container
        .withCommand(
          '--port :7070 --health /health --quiet posix --sidecar /kept/sidecar /kept/objects'.split(' '),
        )
        .withEnvironment({ ROOT_ACCESS_KEY: S3_KEYS.accessKey, ROOT_SECRET_KEY: S3_KEYS.secretKey })
        .withBindMounts([{ source: dir, target: '/kept' }])
        .withUser(`${process.getuid?.()}:${process.getgid?.()}`)
        .withWaitStrategy(Wait.forHttp('/health', 7070)),
  },
  Kafka: {
    service: 'kafka',
    port: 9092,
    url: ({ host, port }) => `kafka://${host}:${port}`,
    prepare: (container, { host, port }) =>
      container
        .withEnvironment({
          KAFKA_NODE_ID: '1',
          KAFKA_PROCESS_ROLES: 'broker,controller',
          KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://localhost:9093',
          KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${host}:${port}`,
          KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
          KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
          KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
          KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
          KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
          KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '4',
          KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
          KAFKA_HEAP_OPTS: '-Xmx512m',
        })
        .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/)),
  },
}

const LABEL = 'prelude.test-process'
const START_WITHIN_MS = 120_000

/** The container that this machine can start, or the reason why it cannot. */
export async function containerFor(
  name: ServerName,
): Promise<{ image: string; start: () => Promise<RealServer> } | string> {
  const recipe = RECIPES[name]
  if (!recipe) return 'it has no container'
  const client = await getContainerRuntimeClient().catch(() => null)
  if (client === null) return 'no container engine runs'
  const image = PULLED.get(recipe.service) ?? ''
  const problem = await imageProblem(client, image)
  return problem ?? { image, start: () => startContainer(client, image, recipe) }
}

async function imageProblem(client: ContainerRuntimeClient, image: string): Promise<string | null> {
  const name = ImageName.fromString(image)
  let refusal = ''
  await client.image.pull(name).catch(({ message }: Error) => (refusal = ` and cannot pull it: ${message}`))
  return (await client.image.exists(name)) ? null : `the engine has no image ${image}${refusal}`
}

async function startContainer(
  client: ContainerRuntimeClient,
  image: string,
  { port, url, prepare }: Recipe,
): Promise<RealServer> {
  await removeContainers(client)
  await removeLeftOver()
  const dir = await folderFor('container')
  for (const folder of ['objects', 'sidecar']) await mkdir(join(dir, folder))
  // a fixed port: clients must find the server again after a restart
  const own: Own = {
    host: client.info.containerRuntime.host,
    port: await freePort(),
    dir,
    password: randomBytes(24).toString('base64url'),
  }
  const container = prepare(new GenericContainer(image), own)
    .withExposedPorts({ container: port, host: own.port })
    .withLabels({ [LABEL]: String(process.pid) })
    .withAutoCleanup(false) // it needs a helper container, whose image may be missing: the label is used instead
    .withStartupTimeout(START_WITHIN_MS)
  return realServer(client, await container.start(), { ...own, url: url(own) })
}

function realServer(
  client: ContainerRuntimeClient,
  started: StartedTestContainer,
  own: Pick<RealServer, 'url' | 'port' | 'dir'>,
): RealServer {
  const container = client.container.getById(started.getId())
  const thaw = async (): Promise<void> => {
    await container.unpause().catch(() => {}) // it was not frozen
  }
  return {
    ...own,
    stop: async () => {
      await thaw()
      await container.stop({ t: 20 })
    },
    kill: async () => {
      await container.kill()
      await container.wait()
    },
    start: () => started.restart(),
    freeze: async () => {
      await container.pause()
    },
    thaw,
    [Symbol.asyncDispose]: async () => {
      await container.remove({ force: true, v: true })
      await rm(own.dir, { recursive: true, force: true })
    },
  }
}

/** Removes containers that a killed run left. */
async function removeContainers({ container }: ContainerRuntimeClient): Promise<void> {
  const ours = await container.dockerode.listContainers({ all: true, filters: { label: [LABEL] } })
  for (const { Id, Labels } of ours)
    if (!isAlive(Number(Labels[LABEL]))) await container.getById(Id).remove({ force: true, v: true })
}
