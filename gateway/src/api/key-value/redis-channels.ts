import { EventEmitter } from 'node:events'
import type { Logger } from '@prelude/platform'
import { connectRedis } from './redis-connection.ts'

const PROBE_MS = 5_000

interface Channels {
  /** Resolves when active. Errors: Unavailable; then there is no subscription. */
  listen(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>
  onInterruption(listener: () => void): void
  close(): void
}

/** Subscriptions, on a connection of their own. After a reconnect all that are in use are made again. */
export function redisChannels(url: string, logger: Logger): Channels {
  const { redis, call, close } = connectRedis(url, logger)
  const channels = new EventEmitter().setMaxListeners(0)

  redis.on('message', (channel: string, message: string) => void channels.emit(channel, message))
  const interruptions = new EventEmitter()
  let wasReady = false
  const resubscribe = async (): Promise<void> => {
    const names = channels.eventNames() as string[]
    if (names.length > 0) await redis.subscribe(...names)
    if (wasReady) interruptions.emit('end')
    wasReady = true
  }
  redis.on('ready', () => {
    resubscribe().catch((error: Error) => {
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
    channels.off(channel, listener)
    if (channels.listenerCount(channel) > 0) return
    // without a connection there is nothing to end: the next one subscribes to the channels with listeners
    if (redis.status === 'ready') await redis.unsubscribe(channel).catch(() => {})
  }

  return {
    listen: async (channel, listener) => {
      channels.on(channel, listener)
      try {
        await call(() => redis.subscribe(channel))
      } catch (error) {
        await leave(channel, listener)
        throw error
      }
      return () => leave(channel, listener)
    },
    onInterruption: (listener) => void interruptions.on('end', listener),
    close: () => {
      clearInterval(probing)
      close()
    },
  }
}
