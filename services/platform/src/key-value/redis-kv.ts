import type { Redis } from 'ioredis'
import type { Logger } from '../observability/index.ts'
import type { KeyValue } from './port.ts'
import { redisChannels } from './redis-channels.ts'
import { connectRedis } from './redis-connection.ts'

/** One step, so that a crash cannot leave a count that never ends. */
const INCREMENT = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`

/** Redis: `redis://` or `rediss://`, with user, password and database number if needed. */
export function redisKeyValue(options: { url: string; logger: Logger }): KeyValue {
  const { redis, call, close } = connectRedis(options.url, options.logger)
  redis.defineCommand('increment', { numberOfKeys: 1, lua: INCREMENT })
  const { increment } = redis as Redis & {
    increment(key: string, ttlMs: number, by: number): Promise<number>
  }
  const channels = redisChannels(options.url, options.logger)

  return {
    get: (key) => call(() => redis.get(key)),
    set: async (key, value, ttlMs) => {
      await call(() => redis.set(key, value, 'PX', lifetime(ttlMs)))
    },
    setIfAbsent: async (key, value, ttlMs) =>
      (await call(() => redis.set(key, value, 'PX', lifetime(ttlMs), 'NX'))) === 'OK',
    getAndDelete: (key) => call(() => redis.getdel(key)),
    increment: (key, ttlMs, by = 1) => call(() => increment.call(redis, key, lifetime(ttlMs), by)),
    publish: async (channel, message) => {
      await call(() => redis.publish(channel, message))
    },
    subscribe: (channel, listener) => channels.listen(channel, listener),
    onInterruption: (listener) => channels.onInterruption(listener),
    removeExpired: async () => {},
    ping: async () => {
      await call(() => redis.ping())
    },
    close: async () => {
      channels.close()
      close()
    },
  }
}

/** Redis refuses a lifetime that is not a positive whole number. */
const lifetime = (ttlMs: number): number => Math.max(1, Math.ceil(ttlMs))
