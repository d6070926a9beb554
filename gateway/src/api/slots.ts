import { AppError, type Clock, newId, Unavailable } from '@prelude/platform'
import type { FastifyReply } from 'fastify'
import { every } from './every.ts'
import { inFlight } from './in-flight.ts'
import type { KeyValue } from './key-value/port.ts'

/** How many calls of one kind a person or an address may have in flight, over all instances. */
interface Slots {
  readonly name: string
  readonly most: number
}

/** A slot of each, and the person or address that it counts for. */
export type Held = readonly (readonly [slots: Slots, of: string])[]

export interface Slot {
  /** To be called more often than the lease lasts. */
  renew(): Promise<unknown>
  release(): Promise<void>
}

/** A slot of an instance that died is free after this. */
const LEASE_MS = 60_000
const RETRY_AFTER_SECONDS = 10

const enterHere = inFlight()

/**
 * A slot of each in one round trip, or none. Those of this process are counted here first: many at once of one person do not
 * reach the store, and while it is not there they are limited all the same. Errors: too_many_requests.
 */
async function acquireEach(kv: KeyValue, all: Held): Promise<Slot> {
  const holder = newId()
  const keys = all.map(([{ name, most }, of]) => ({ key: `slots:${name}:${of}`, most }))
  const entered = keys.map(({ key, most }) => enterHere(key, most))
  const leave = (): void => entered.forEach((one) => one?.())
  const renew = (): Promise<boolean> => kv.lease(keys, holder, LEASE_MS)
  const renewed = (): Promise<boolean> =>
    renew().catch((error: unknown) => {
      if (error instanceof Unavailable) return true
      throw error
    })
  try {
    if (!entered.every(Boolean) || !(await renewed()))
      throw new AppError('too_many_requests', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  } catch (error) {
    leave()
    throw error
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    renew: () => (last = renew()),
    release: async () => {
      leave()
      await last.catch(() => {}) // a renewal under way would take the lease again
      await kv.endLease(keys, holder)
    },
  }
}

/** Errors: too_many_requests. */
export const acquireSlot = (kv: KeyValue, slots: Slots, of: string): Promise<Slot> =>
  acquireEach(kv, [[slots, of]])

/** Runs `work`, which takes less time than the lease, in a slot. Errors: too_many_requests, and those of `work`. */
export async function withSlot<T>(
  kv: KeyValue,
  slots: Slots,
  of: string,
  work: () => Promise<T>,
): Promise<T> {
  const slot = await acquireSlot(kv, slots, of)
  try {
    return await work()
  } finally {
    await slot.release()
  }
}

/** Takes a slot of each until the response has been sent or its client has disconnected. Errors: too_many_requests. */
export async function slotsUntilClosed(
  { kv, clock }: { readonly kv: KeyValue; readonly clock: Clock },
  all: Held,
  reply: FastifyReply,
): Promise<void> {
  const slot = await acquireEach(kv, all)
  const note = (error: unknown): void => reply.log.warn({ err: error }, 'a lease was not renewed or ended')
  const over = new AbortController()
  void every(clock, LEASE_MS / 3, over.signal, () => void slot.renew().catch(note))
  const release = (): void => {
    over.abort()
    slot.release().catch(note)
  }
  if (reply.raw.destroyed) release()
  else reply.raw.once('close', release)
}
