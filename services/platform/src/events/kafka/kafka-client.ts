import { createRequire } from 'node:module'
import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type * as Kafkajs from 'kafkajs'
import type { Logger } from '../../observability/index.ts'
import { within } from '../../within.ts'

/** Loaded where Kafka is used: it takes a good part of a start. */
const require = createRequire(import.meta.url)

export const kafkajs = (): typeof Kafkajs => require('kafkajs') as typeof Kafkajs

export interface KafkaAddress {
  readonly brokers: readonly string[]
  /** With TLS; else neither. */
  readonly sasl: Sasl | null
  /** Of every topic and group, so that several products or tests can share one cluster. */
  readonly prefix: string
  /** How long a member may go on with its batch when another joins. */
  readonly rebalanceTimeoutMs: number
  /** After how long a member without a heartbeat is removed from the group. */
  readonly sessionTimeoutMs: number
}

const DEFAULT_PORT = 9092
const REBALANCE_TIMEOUT_MS = 60_000
const SESSION_TIMEOUT_MS = 20_000

/** Limits of the tries of a call; kafkajs would wait up to 46 s on a network that drops everything. */
export const RETRY: Kafkajs.RetryOptions = {
  initialRetryTime: 200,
  maxRetryTime: 3_000,
  retries: 10,
  factor: 0.2,
  multiplier: 2,
}

/** How a user proves its password; the first where an address names none. */
const MECHANISMS = ['scram-sha-512', 'plain'] as const
type Sasl = Extract<Kafkajs.SASLOptions, { mechanism: (typeof MECHANISMS)[number] }>

/** What may stand in the query. */
const OPTIONS = ['prefix', 'rebalanceTimeoutMs', 'sessionTimeoutMs', 'mechanism']

/**
 * `kafka://host:port[,host:port]`, or `kafkas://user:password@host:port[,host:port]` with TLS and SCRAM-SHA-512, or SASL/PLAIN
 * with `?mechanism=plain`; with `?prefix=`, `?rebalanceTimeoutMs=`, `?sessionTimeoutMs=` if needed. Throws with a short reason
 * when anything in it would be ignored.
 */
export function kafkaAddress(url: string): KafkaAddress {
  const [, scheme, authority = '', query] = /^(kafkas?):\/\/([^/?#]+)\/?(\?[^#]*)?$/.exec(url) ?? []
  const [, credentials, hosts = ''] = /^(?:([^@]*)@)?([^@]+)$/.exec(authority) ?? []
  if (hosts === '' || !hosts.split(',').every((host) => /^([\w.-]+|\[[\da-f:]+\])(:\d+)?$/i.test(host)))
    throw new Error('must be kafka://host:port[,host:port] or kafkas://user:password@host:port[,host:port]')
  const options = new URLSearchParams(query)
  const unknown = [...options.keys()].filter((name) => !OPTIONS.includes(name))
  if (unknown.length > 0) throw new Error(`has options that are unknown: ${unknown.join(', ')}`)
  const milliseconds = (name: string, fallback: number): number => {
    const value = Number(options.get(name) ?? fallback)
    if (!Number.isSafeInteger(value) || value < 1) throw new Error(`has no whole number for ${name}`)
    return value
  }
  return {
    brokers: hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`)),
    sasl: saslOf(scheme, credentials, options.get('mechanism')),
    prefix: options.get('prefix') ?? '',
    rebalanceTimeoutMs: milliseconds('rebalanceTimeoutMs', REBALANCE_TIMEOUT_MS),
    sessionTimeoutMs: milliseconds('sessionTimeoutMs', SESSION_TIMEOUT_MS),
  }
}

function saslOf(
  scheme: string | undefined,
  credentials: string | undefined,
  named: string | null,
): KafkaAddress['sasl'] {
  if (scheme === 'kafka') {
    if (credentials !== undefined) throw new Error('has a user, which needs TLS: kafkas://')
    if (named !== null) throw new Error('has a mechanism, but no user')
    return null
  }
  const mechanism = MECHANISMS.find((one) => one === (named ?? MECHANISMS[0]))
  if (!mechanism) throw new Error(`has a mechanism that is none of ${MECHANISMS.join(', ')}`)
  const [username = '', password = '', ...rest] = (credentials ?? '').split(':').map(decodeURIComponent)
  if (username === '' || password === '' || rest.length > 0)
    throw new Error('must name user and password: kafkas://user:password@host')
  return { mechanism, username, password }
}

/** `onConnect` is called before each connection and may refuse it by throwing. */
export function kafkaClient(
  address: KafkaAddress,
  logger: Logger,
  onConnect: () => void = () => {},
): Kafkajs.Kafka {
  guardRequestQueue()
  const { Kafka, logLevel } = kafkajs()
  return new Kafka({
    clientId: 'prelude',
    brokers: [...address.brokers],
    connectionTimeout: 3_000,
    requestTimeout: 8_000,
    retry: RETRY,
    logLevel: logLevel.WARN,
    logCreator: logInto(logger),
    ...(address.sasl && { ssl: true, sasl: address.sasl }),
    socketFactory: ({ host, port, ssl, onConnect: connected }) => {
      onConnect()
      // SNI allows host names, not addresses; the certificate is verified against either
      const name = isIP(host) === 0 ? { servername: host } : {}
      const socket = ssl
        ? connectTls({ host, port, ...name }, connected)
        : connectTcp({ host, port }, connected)
      return socket.setKeepAlive(true, 10_000)
    },
  })
}

/** Errors of kafkajs are mostly one try of several: the caller reports the outcome. */
const logInto =
  (logger: Logger): Kafkajs.logCreator =>
  () =>
  ({ level, namespace, log }) => {
    const write = level === kafkajs().logLevel.ERROR ? logger.info : logger.debug
    write.call(logger, { kafka: namespace, err: log['error'] as unknown }, log.message)
  }

interface RequestQueue {
  pending: unknown[]
  throttledUntil: number
  scheduleCheckPendingRequests(): void
}

const GUARDED = Symbol('guarded')

/** kafkajs 2.2.4 polls its request queue every millisecond, for ever: about 3 % of a core when idle. */
function guardRequestQueue(): void {
  const { version } = require('kafkajs/package.json') as { version: string }
  const queue = require('kafkajs/src/network/requestQueue') as {
    prototype: RequestQueue
    [GUARDED]?: true
  }
  if (queue[GUARDED]) return
  const original = queue.prototype.scheduleCheckPendingRequests
  if (version !== '2.2.4' || typeof original !== 'function')
    throw new Error(`kafkajs ${version} is not the one whose request queue is known`)
  queue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) original.call(this)
  }
  queue[GUARDED] = true
}

interface Connectable {
  connect(): Promise<void>
  disconnect(): Promise<void>
}

/**
 * A client that is connected at its first use and given up after any error: it can then no longer connect, so none of its
 * pending retries takes effect later. The next use gets a new one.
 */
export function replaceable<C extends Connectable>(make: (onConnect: () => void) => C) {
  let current: { connected: Promise<C>; giveUp(): Promise<void> } | undefined

  const start = () => {
    let givenUp = false
    const client = make(() => {
      if (givenUp) throw new Error('this connection was given up')
    })
    const connected = client.connect().then(() => client)
    connected.catch(() => {}) // `use` rejects with it
    return {
      connected,
      giveUp: () => {
        givenUp = true
        return client.disconnect().catch(() => {})
      },
    }
  }

  return {
    /** Errors: those of `work`, or that it took longer than `ms`. */
    use: async <T>(ms: number, work: (client: C) => Promise<T>): Promise<T> => {
      const used = (current ??= start())
      try {
        return await within(ms, used.connected.then(work))
      } catch (error) {
        if (current === used) current = undefined
        void used.giveUp()
        throw error
      }
    },
    close: async (): Promise<void> => {
      await current?.giveUp()
      current = undefined
    },
  }
}
