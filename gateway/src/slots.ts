import { AppError, type Clock, type KeyValue, newId } from '@prelude/platform'
import type { FastifyReply } from 'fastify'
import { every } from './every.ts'

/** How many calls of one kind a person may have in flight, over all instances. */
interface Slots {
  readonly name: string
  readonly most: number
  /** A slot of an instance that died is free after this. */
  readonly leaseMs: number
}

export interface Slot {
  /** To be called more often than the lease lasts. */
  renew(): Promise<void>
  release(): Promise<void>
}

const RETRY_AFTER_SECONDS = 10

/** Errors: too_many_requests. */
export async function acquireSlot(kv: KeyValue, { name, most, leaseMs }: Slots, uid: string): Promise<Slot> {
  const holder = newId()
  for (let slot = 0; slot < most; slot++) {
    const key = `${name}:${uid}:${slot}`
    if (!(await kv.setIfAbsent(key, holder, leaseMs))) continue
    return {
      renew: () => kv.set(key, holder, leaseMs),
      release: async () => {
        await kv.getAndDelete(key)
      },
    }
  }
  throw new AppError('too_many_requests', { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/** Runs `work`, which takes less time than the lease, in a slot. Errors: too_many_requests, and those of `work`. */
export async function withSlot<T>(
  kv: KeyValue,
  slots: Slots,
  uid: string,
  work: () => Promise<T>,
): Promise<T> {
  const slot = await acquireSlot(kv, slots, uid)
  try {
    return await work()
  } finally {
    await slot.release()
  }
}

/** Takes a slot until the response has been sent or its client has disconnected. Errors: too_many_requests. */
export async function slotUntilClosed(
  { kv, clock }: { kv: KeyValue; clock: Clock },
  slots: Slots,
  uid: string,
  reply: FastifyReply,
): Promise<void> {
  const slot = await acquireSlot(kv, slots, uid)
  const note = (error: unknown): void => reply.log.warn({ err: error }, 'a slot is free when its lease ends')
  const over = new AbortController()
  void every(clock, slots.leaseMs / 3, over.signal, () => void slot.renew().catch(note))
  const release = (): void => {
    over.abort()
    slot.release().catch(note)
  }
  if (reply.raw.destroyed) release()
  else reply.raw.once('close', release)
}
