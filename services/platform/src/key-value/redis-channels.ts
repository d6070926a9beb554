import type { Logger } from '../observability/index.ts'
import { connectRedis } from './redis-connection.ts'

const PROBE_MS = 5_000

export interface Channels {
  /** Resolves when active. Errors: Unavailable; then there is no subscription. */
  listen(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>
  close(): void
}

/** Subscriptions, on a connection of their own. After a reconnect all that are in use are made again. */
export function redisChannels(url: string, logger: Logger): Channels {
  const { redis, call, close } = connectRedis(url, logger)
  const listeners = new Map<string, Set<(message: string) => void>>()

  redis.on('message', (channel: string, message: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(message)
  })
  redis.on('ready', () => {
    if (listeners.size === 0) return
    redis.subscribe(...listeners.keys()).catch((error: Error) => {
      logger.warn({ err: error.message }, 'not listening to the key-value store, connecting again')
      redis.disconnect(true)
    })
  })
  // no command is ever sent on a connection that only subscribes: a dead one would not be noticed
  const probing = setInterval(() => {
    if (redis.status === 'ready') call(() => redis.ping()).catch(() => redis.disconnect(true))
  }, PROBE_MS)
  probing.unref()

  const leave = async (channel: string, listener: (message: string) => void): Promise<void> => {
    const all = listeners.get(channel)
    all?.delete(listener)
    if (all?.size !== 0) return
    listeners.delete(channel)
    // without a connection there is nothing to end: the next one subscribes to the channels in the map
    if (redis.status === 'ready') await redis.unsubscribe(channel).catch(() => {})
  }

  return {
    listen: async (channel, listener) => {
      const all = listeners.get(channel) ?? new Set()
      listeners.set(channel, all.add(listener))
      try {
        await call(() => redis.subscribe(channel))
      } catch (error) {
        await leave(channel, listener)
        throw error
      }
      return () => leave(channel, listener)
    },
    close: () => {
      clearInterval(probing)
      close()
    },
  }
}
