import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Certificate } from '@prelude/platform'
import { versionOf } from './images.ts'
import { findFolder, missing, runTool } from './installed.ts'
import {
  acceptsConnections,
  freePort,
  type NativeOptions,
  type NativeServer,
  startProcess,
} from './server-process.ts'

export const KAFKA_VERSION = versionOf('kafka')
export const KAFKA_FOLDER = `kafka-${KAFKA_VERSION}`
/** Any id: those who know the nodes' ports are one cluster. */
const CLUSTER_ID = '5L6g3nShT-eMCtK--X86sw'

/** Kafka's class path. Errors: ServerMissing. */
export async function findKafka(): Promise<string> {
  findJava()
  return join(await findFolder(KAFKA_FOLDER), 'libs', '*')
}

/** Errors: ServerMissing. */
export function findJava(): void {
  if (spawnSync('java', ['-version']).status !== 0) throw missing('java')
}

interface KafkaOptions extends NativeOptions {
  /** TLS and SCRAM-SHA-512 for these users and nobody else, each with the rights it is given; the first has all. */
  readonly secure?: { readonly certificate: Certificate; readonly users: Readonly<Record<string, string>> }
  /** One of several nodes; without it the node is a cluster of its own. */
  readonly node?: KafkaNode
}

interface KafkaNode {
  readonly id: number
  /** Ports of all nodes' controllers, in the order of their ids, which begin at 1. */
  readonly controllerPorts: readonly number[]
}

export interface KafkaCluster {
  /** All nodes, in the order of their ids, which begin at 1. */
  readonly nodes: readonly NativeServer[]
  /** Starts a node again, after `stop` or `kill`. */
  start(id: number): Promise<void>
  stop(): Promise<void>
}

/** Starts three nodes; each topic is on all of them, and two must have a message before it is acknowledged. */
export async function startKafkaCluster({
  dir,
  secure,
}: Pick<KafkaOptions, 'dir' | 'secure'>): Promise<KafkaCluster> {
  const controllerPorts = [await freePort(), await freePort(), await freePort()]
  const ids = controllerPorts.map((_, index) => index + 1)
  const startNode = (id: number, port?: number): Promise<NativeServer> =>
    startKafka({
      dir: join(dir, String(id)),
      node: { id, controllerPorts },
      ...(secure && { secure }),
      ...(port !== undefined && { port }),
    })
  const nodes = await Promise.all(ids.map((id) => startNode(id)))
  return {
    nodes,
    start: async (id) => {
      nodes[id - 1] = await startNode(id, nodes[id - 1]?.port)
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.kill())) // a node that stops would wait for the others
    },
  }
}

/** Starts one node as broker and controller, its data below `dir`. Topics are created by `prepare` only. */
export async function startKafka({ dir, port, secure, node }: KafkaOptions): Promise<NativeServer> {
  const classPath = await findKafka()
  const own = port ?? (await freePort())
  const properties = join(dir, 'server.properties')
  await mkdir(dir, { recursive: true })
  const { id, controllerPorts } = node ?? { id: 1, controllerPorts: [await freePort()] }
  const security = secure ? await secured(dir, secure) : {}
  await writeFile(properties, settings(dir, own, { id, controllerPorts }, security))
  // once: each run costs the start of a Java machine
  const formatted = join(dir, 'formatted')
  if (!existsSync(formatted)) {
    const tool = ['-cp', classPath, ...QUIET, 'kafka.tools.StorageTool', 'format']
    await runTool('java', [...tool, ...format(properties, secure?.users)])
    await writeFile(formatted, '')
  }
  const server = await startProcess({
    name: 'kafka',
    dir,
    command: 'java',
    // one small node on a shared machine
    args: [
      '-Xmx512m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1', // in the minutes that it runs, compiling further costs more than it gains
      '-cp',
      classPath,
      ...QUIET,
      'kafka.Kafka',
      properties,
    ],
    healthy: () => acceptsConnections(own), // its port is open once it can answer
  })
  const [[user, password] = []] = Object.entries(secure?.users ?? {})
  const url = secure ? `kafkas://${user}:${password}@127.0.0.1:${own}` : `kafka://127.0.0.1:${own}`
  return { ...server, port: own, url }
}

const QUIET = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn']
const format = (properties: string, users: Readonly<Record<string, string>> = {}): string[] => [
  ...['--ignore-formatted', '-t', CLUSTER_ID, '-c', properties],
  ...Object.entries(users).flatMap(([name, password]) => [
    '--add-scram',
    `SCRAM-SHA-512=[name=${name},password=${password}]`,
  ]),
]

/** Settings of a listener with TLS and users, whose rights are access rules. */
async function secured(
  dir: string,
  { certificate, users }: NonNullable<KafkaOptions['secure']>,
): Promise<Record<string, string>> {
  const pem = join(dir, 'certificate.pem')
  await writeFile(pem, certificate.key + certificate.cert, { mode: 0o600 })
  const [[admin, password] = []] = Object.entries(users)
  const module = 'org.apache.kafka.common.security.scram.ScramLoginModule'
  return {
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,CLIENTS:SASL_SSL',
    'inter.broker.listener.name': 'CLIENTS',
    'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
    'sasl.mechanism.inter.broker.protocol': 'SCRAM-SHA-512',
    'listener.name.clients.scram-sha-512.sasl.jaas.config': `${module} required username="${admin}" password="${password}";`,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': pem,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': pem,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    // the controller's own listener, which nobody else reaches, knows no users
    'super.users': `User:${admin};User:ANONYMOUS`,
  }
}

function settings(
  dir: string,
  port: number,
  { id, controllerPorts }: KafkaNode,
  security: Readonly<Record<string, string>>,
): string {
  const nodes = controllerPorts.length
  const inSync = nodes > 1 ? '2' : '1'
  const voters = controllerPorts.map((controllerPort, index) => `${index + 1}@127.0.0.1:${controllerPort}`)
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': String(id),
    'controller.quorum.voters': voters.join(','),
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,CLIENTS:PLAINTEXT',
    'inter.broker.listener.name': 'CLIENTS',
    listeners: `CLIENTS://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPorts[id - 1]}`,
    'advertised.listeners': `CLIENTS://127.0.0.1:${port}`,
    'log.dirs': join(dir, 'log'),
    'auto.create.topics.enable': 'false',
    'default.replication.factor': String(nodes),
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': String(nodes),
    'offsets.topic.num.partitions': '4', // few start quickly
    // others soon lead instead of a node that was killed
    ...(nodes > 1 && { 'broker.session.timeout.ms': '6000' }),
    'transaction.state.log.replication.factor': String(nodes),
    'transaction.state.log.min.isr': inSync,
    // a group's first member does not wait for others
    'group.initial.rebalance.delay.ms': '0',
    ...security,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
