import { AppError, type KeyValue, newId } from '@prelude/platform'

const SEATS = 10
const LEASE_MS = 60_000

export interface Seat {
  /** To be called more often than once a minute. */
  renew(): Promise<void>
  leave(): Promise<void>
}

/** At most 10 streams a person over all instances; a seat of an instance that died is free a minute later. Errors: too_many_requests. */
export async function takeSeat(kv: KeyValue, uid: string): Promise<Seat> {
  const holder = newId()
  for (let seat = 0; seat < SEATS; seat++) {
    const key = `stream:${uid}:${seat}`
    if (!(await kv.setIfAbsent(key, holder, LEASE_MS))) continue
    return {
      renew: () => kv.set(key, holder, LEASE_MS),
      leave: async () => {
        await kv.take(key)
      },
    }
  }
  throw new AppError('too_many_requests', { retryAfterSeconds: 10 })
}
