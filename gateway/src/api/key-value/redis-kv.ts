import type { Redis } from 'ioredis'
import type { Logger } from '@prelude/platform'
import type { KeyValue } from './port.ts'
import { redisChannels } from './redis-channels.ts'
import { connectRedis } from './redis-connection.ts'

/** One step, so that a crash cannot leave a count that never ends. */
const INCREMENT = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`

/** A sorted set of holders by the time at which their leases end, on the server's clock. */
const LEASE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local isNew = not redis.call('ZSCORE', KEYS[1], ARGV[1])
if isNew and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`

/** Redis: `redis://` or `rediss://`, with user, password and database number if needed. */
export function redisKeyValue(options: { url: string; logger: Logger }): KeyValue {
  const { redis, call, close } = connectRedis(options.url, options.logger)
  redis.defineCommand('increment', { numberOfKeys: 1, lua: INCREMENT })
  redis.defineCommand('lease', { numberOfKeys: 1, lua: LEASE })
  const { increment, lease } = redis as Redis & {
    increment(key: string, ttlMs: number, by: number): Promise<number>
    lease(key: string, holder: string, most: number, ttlMs: number): Promise<0 | 1>
  }
  const channels = redisChannels(options.url, options.logger)
  const endLease: KeyValue['endLease'] = async (keys, holder) => {
    await Promise.all(keys.map(({ key }) => call(() => redis.zrem(key, holder))))
  }

  return {
    get: (key) => call(() => redis.get(key)),
    set: async (key, value, ttlMs) => {
      await call(() => redis.set(key, value, 'PX', lifetime(ttlMs)))
    },
    setIfAbsent: async (key, value, ttlMs) =>
      (await call(() => redis.set(key, value, 'PX', lifetime(ttlMs), 'NX'))) === 'OK',
    getAndDelete: (key) => call(() => redis.getdel(key)),
    increment: (key, ttlMs, by = 1) => call(() => increment.call(redis, key, lifetime(ttlMs), by)),
    lease: async (keys, holder, ttlMs) => {
      const take = keys.map(({ key, most }) =>
        call(() => lease.call(redis, key, holder, most, lifetime(ttlMs))),
      )
      const isTaken = (await Promise.all(take)).every(Boolean)
      if (!isTaken) await endLease(keys, holder)
      return isTaken
    },
    endLease,
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
