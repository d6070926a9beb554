import { createRequire } from 'node:module'
import { connect as connectTcp } from 'node:net'
import { Kafka, logLevel, type logCreator, type RetryOptions } from 'kafkajs'
import { ConfigError } from '../../errors.ts'
import type { Logger } from '../../observability/index.ts'
import { within } from '../../within.ts'

export interface KafkaAddress {
  readonly brokers: readonly string[]
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
export const RETRY: RetryOptions = {
  initialRetryTime: 200,
  maxRetryTime: 3_000,
  retries: 10,
  factor: 0.2,
  multiplier: 2,
}

/** `kafka://host:port[,host:port]`, with `?prefix=`, `?rebalanceTimeoutMs=`, `?sessionTimeoutMs=` if needed. Errors: ConfigError. */
export function kafkaAddress(url: string): KafkaAddress {
  const [, hosts, query] = /^kafka:\/\/([^/?#]+)\/?(\?.*)?$/.exec(url) ?? []
  if (!hosts) throw new ConfigError('Bad settings: BUS_URL must be kafka://host:port[,host:port].')
  const options = new URLSearchParams(query)
  return {
    brokers: hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`)),
    prefix: options.get('prefix') ?? '',
    rebalanceTimeoutMs: Number(options.get('rebalanceTimeoutMs') ?? REBALANCE_TIMEOUT_MS),
    sessionTimeoutMs: Number(options.get('sessionTimeoutMs') ?? SESSION_TIMEOUT_MS),
  }
}

/** `onConnect` is called before each connection and may refuse it by throwing. */
export function kafkaClient(address: KafkaAddress, logger: Logger, onConnect: () => void): Kafka {
  guardRequestQueue()
  return new Kafka({
    clientId: 'prelude',
    brokers: [...address.brokers],
    connectionTimeout: 3_000,
    requestTimeout: 8_000,
    retry: RETRY,
    logLevel: logLevel.WARN,
    logCreator: logInto(logger),
    socketFactory: ({ host, port, onConnect: connected }) => {
      onConnect()
      return connectTcp({ host, port }, connected).setKeepAlive(true, 10_000)
    },
  })
}

/** Errors of kafkajs are mostly one try of several: the caller reports the outcome. */
const logInto =
  (logger: Logger): logCreator =>
  () =>
  ({ level, namespace, log }) => {
    const write = level === logLevel.ERROR ? logger.info : logger.debug
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
  const require = createRequire(import.meta.url)
  const { version } = require('kafkajs/package.json') as { version: string }
  const queue = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue; [GUARDED]?: true }
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

export interface Replaceable<C> {
  /** Errors: those of `work`, or that it took longer than `ms`. */
  use<T>(ms: number, work: (client: C) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * A client that is connected at its first use and given up after any error: it can then no longer connect, so none of its
 * pending retries takes effect later. The next use gets a new one.
 */
export function replaceable<C extends Connectable>(make: (onConnect: () => void) => C): Replaceable<C> {
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
    use: async (ms, work) => {
      const used = (current ??= start())
      try {
        return await within(ms, used.connected.then(work))
      } catch (error) {
        if (current === used) current = undefined
        void used.giveUp()
        throw error
      }
    },
    close: async () => {
      await current?.giveUp()
      current = undefined
    },
  }
}
