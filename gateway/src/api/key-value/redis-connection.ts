import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import type * as Ioredis from 'ioredis'
import { type Logger, Unavailable, within } from '@prelude/platform'

/** Loaded where Redis is used: it takes a good part of a start. */
const require = createRequire(import.meta.url)

/** The port promises 3 s; waiting for the connection and for the answer share this time. */
const CALL_WITHIN_MS = 2_500

interface RedisConnection {
  readonly redis: Ioredis.Redis
  /**
   * One command, once: it is never queued or sent again, so a command that failed without a connection does not run
   * later. Errors: Unavailable within 3 s.
   */
  call<T>(command: (redis: Ioredis.Redis) => Promise<T>): Promise<T>
  close(): void
}

const isIpAddress = (hostname: string): boolean => isIP(hostname) !== 0 || hostname.startsWith('[')

export function connectRedis(url: string, logger: Logger): RedisConnection {
  const { protocol, hostname } = new URL(url)
  const { Redis } = require('ioredis') as typeof Ioredis
  const redis = new Redis(url, {
    // else the name is not sent, by which providers find the server; for an address none is allowed
    ...(protocol === 'rediss:' && !isIpAddress(hostname) && { tls: { servername: hostname } }),
    connectTimeout: CALL_WITHIN_MS,
    // a connection that does not answer a command is given up, so that the next call uses a new one
    socketTimeout: CALL_WITHIN_MS,
    retryStrategy: (times) => Math.min(100 * times, 1_000),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    // after a failover the former primary answers, and takes no writes: the name leads to the new one
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    keepAlive: 10_000,
  })
  // one promise for all waiting calls: one listener for each would pile up while the store is down
  let ready = Promise.withResolvers<void>()
  redis.on('ready', () => ready.resolve())
  redis.on('close', () => {
    ready.resolve() // the waiting call checks the connection itself
    ready = Promise.withResolvers()
  })
  // without a listener ioredis prints each failed attempt
  redis.on('error', (error) => logger.warn({ err: error.message }, 'no connection to the key-value store'))

  const untilReady = async (deadline: number): Promise<void> => {
    while (redis.status !== 'ready') await within(Math.max(0, deadline - performance.now()), ready.promise)
  }

  return {
    redis,
    call: async (command) => {
      const deadline = performance.now() + CALL_WITHIN_MS
      try {
        await untilReady(deadline)
        return await within(Math.max(0, deadline - performance.now()), command(redis))
      } catch (error) {
        throw new Unavailable('the key-value store', error)
      }
    },
    close: () => {
      redis.disconnect()
    },
  }
}
