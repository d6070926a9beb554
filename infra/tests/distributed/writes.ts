import { randomUUID } from 'node:crypto'
import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect } from 'vitest'
import { fulfil } from '../support/audio-files.ts'
import { chargedSong, giveCredits, somebody } from '../support/callers.ts'
import { balanceIs, startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { done, type Person } from '../support/person.ts'
import type { ProductProcess } from '../support/product-process.ts'

/** A person and the operator, whose requests are mostly writes. */
export async function writers(product: ProductProcess, operator: Person) {
  const ben = await somebody(product, { name: 'Ben Ode' })
  const made: string[] = []
  const [closed, toRefund]: [string[], string[]] = [[], []]
  let balance = 0
  const reason = { reason: 'test' }
  const post = async <T>(person: Person, path: string, body: object = {}): Promise<T> =>
    done(await person.post<T>(path, body, { 'idempotency-key': randomUUID() }))
  const request = async (): Promise<string> => (await chargedSong(ben)).id
  const refund = (id: string) =>
    operator.post(`/api/operator/songs/${id}/refund`, reason, { 'idempotency-key': randomUUID() })
  const chargeOf = async (id: string): Promise<Song['charge']> =>
    done(await ben.get<Song>(`/api/songs/${id}`)).charge

  /** Errors: a request is refused. */
  const round = async (): Promise<void> => {
    await press(await startCheckout(ben, 25), 'pay')
    await giveCredits(operator, ben.uid, 25)
    balance += 50
    await eventually(async () =>
      expect(done(await ben.get<{ balance: number }>('/api/credits')).balance).toBeGreaterThan(40),
    )
    const [first, cancelled, declined, refunded] = [
      await request(),
      await request(),
      await request(),
      await request(),
    ]
    // an upload waits while the storage is replaced that takes it
    await eventually(async () => done(await fulfil(operator, first)))
    made.push(first)
    await post(ben, `/api/songs/${cancelled}/cancel`)
    await post(operator, `/api/operator/songs/${declined}/decline`, reason)
    closed.push(cancelled, declined)
    await refund(refunded)
    toRefund.push(refunded)
    balance -= 10
    for (const path of ['/api/songs', '/api/credits/entries', '/api/payments', '/api/me'])
      done(await ben.get(path))
    for (const path of ['/api/operator/songs', '/api/operator/payments', '/api/operator/ops'])
      done(await operator.get(path))
  }
  return {
    /** Writes while `work` is done, and a whole round after it. */
    writeDuring: async (work: () => Promise<void>): Promise<void> => {
      let isDone = false
      const working = work().finally(() => (isDone = true))
      const writing = async (): Promise<void> => {
        while (!isDone) await round()
        await round()
      }
      await Promise.all([working, writing()])
    },
    /** Finds every song and every credit. */
    expectAllThere: async (): Promise<void> => {
      // 0.1.0 refunds by other calls: while versions differ the operator repeats it
      for (const id of toRefund)
        await eventually(async () => {
          if ((await chargeOf(id)) !== 'refunded') await refund(id)
          expect(await chargeOf(id)).toBe('refunded')
        })
      await balanceIs(ben, balance)
      await eventually(async () => {
        expect(await Promise.all(closed.map(chargeOf))).toEqual(closed.map(() => 'refunded'))
        expect(await Promise.all(made.map(chargeOf))).toEqual(made.map(() => 'charged'))
      })
    },
  }
}
