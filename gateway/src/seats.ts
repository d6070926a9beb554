import { AppError, type KeyValue, newId } from '@prelude/platform'
import type { FastifyReply } from 'fastify'

/** How many calls of one kind a person may have in hand, over all instances. */
export interface Seats {
  readonly name: string
  readonly most: number
  /** A seat of an instance that died is free after this. */
  readonly leaseMs: number
}

export interface Seat {
  /** To be called more often than the lease lasts. */
  renew(): Promise<void>
  leave(): Promise<void>
}

const RETRY_AFTER_SECONDS = 10

/** Errors: too_many_requests. */
export async function takeSeat(kv: KeyValue, { name, most, leaseMs }: Seats, uid: string): Promise<Seat> {
  const holder = newId()
  for (let seat = 0; seat < most; seat++) {
    const key = `${name}:${uid}:${seat}`
    if (!(await kv.setIfAbsent(key, holder, leaseMs))) continue
    return {
      renew: () => kv.set(key, holder, leaseMs),
      leave: async () => {
        await kv.take(key)
      },
    }
  }
  throw new AppError('too_many_requests', { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/** A seat for shorter than its lease. Errors: too_many_requests, and those of `work`. */
export async function whileSeated<T>(
  kv: KeyValue,
  seats: Seats,
  uid: string,
  work: () => Promise<T>,
): Promise<T> {
  const seat = await takeSeat(kv, seats, uid)
  try {
    return await work()
  } finally {
    await seat.leave()
  }
}

/** A seat until the answer has been sent, or its client has left. Errors: too_many_requests. */
export async function holdSeat(kv: KeyValue, seats: Seats, uid: string, reply: FastifyReply): Promise<void> {
  const seat = await takeSeat(kv, seats, uid)
  const note = (error: unknown): void => reply.log.warn({ err: error }, 'a seat is free when its lease ends')
  const renewing = setInterval(() => void seat.renew().catch(note), seats.leaseMs / 3)
  const leave = (): void => {
    clearInterval(renewing)
    seat.leave().catch(note)
  }
  if (reply.raw.destroyed) leave()
  else reply.raw.once('close', leave)
}
