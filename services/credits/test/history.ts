import {
  creditsApi,
  PaymentReinstated,
  PaymentReversed,
  PaymentSucceeded,
  SongClosed,
  SongFulfilled,
  SongStarted,
  SongRequested,
} from '@prelude/contracts'
import { isCode } from '@prelude/platform'
import type { TestService } from '@prelude/platform/testing'
import fc from 'fast-check'
import { expect } from 'vitest'
import * as model from './model.ts'
import { handle } from './start-credits.ts'

/** Something that happens; `which` names a song, a payment, a reversal, or what is repeated, as the act has it. */
export interface Step {
  readonly act: 'request' | 'topUp' | 'reverse' | 'reinstate' | 'adjust' | 'gift' | 'close' | 'redeliver'
  readonly which: number
  readonly cents: number
}

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    act: fc.oneof(
      { weight: 4, arbitrary: fc.constant('request' as const) },
      { weight: 6, arbitrary: fc.constantFrom('topUp' as const, 'reverse' as const) },
      { weight: 3, arbitrary: fc.constant('redeliver' as const) },
      {
        weight: 8,
        arbitrary: fc.constantFrom(
          'reinstate' as const,
          'adjust' as const,
          'gift' as const,
          'close' as const,
        ),
      },
    ),
    which: fc.nat({ max: 5 }),
    cents: fc.oneof(fc.constantFrom(1000, 2500), fc.integer({ min: 1, max: 4000 })),
  }),
  { minLength: 5, maxLength: 30, size: 'max' },
)

/** The price changes between requests. */
const PRICES = [1000, 700, 1500]

/** One person's history, done both to the real service and to its model. */
export function history(credits: TestService, uid: string, startingCents: number) {
  const expected = model.emptyModel(startingCents)
  const done: (() => Promise<unknown>)[] = []
  const reversals: { paymentId: string; credits: number; reinstated: boolean }[] = []
  const api = credits.api(creditsApi)
  const id = (kind: string, n: number): string => `${uid}-${kind}${n}`

  const perform = async (work: () => Promise<unknown>): Promise<void> => {
    done.push(work)
    await work()
  }
  /** The service refuses exactly what the model refuses. */
  const agree = async (accepted: boolean, work: () => Promise<unknown>): Promise<void> => {
    const outcome = await work().then(
      () => true,
      (error: unknown) => !isCode(error, 'insufficient_credits'),
    )
    expect(outcome).toBe(accepted)
    if (accepted) done.push(work)
  }

  const acts: Record<Step['act'], (step: Step) => Promise<unknown>> = {
    request: ({ which }) => {
      const songId = id('song', which)
      const price = PRICES[which % PRICES.length] ?? 1000 // a song keeps its price
      model.request(expected, songId, price)
      return perform(() => handle(credits, SongRequested, { songId, uid, price }))
    },
    topUp: ({ which, cents }) => {
      const paymentId = id('payment', which)
      model.topUp(expected, paymentId, cents)
      const success = { paymentId, uid, credits: cents, method: 'card' }
      return perform(() => handle(credits, PaymentSucceeded, success))
    },
    reverse: async ({ which, cents }) => {
      const paymentId = id('payment', which)
      const reversalId = id('reversal', reversals.length)
      const reversed = model.reverse(expected, paymentId, cents)
      if (reversed === 0) return
      reversals.push({ paymentId, credits: reversed, reinstated: false })
      const reversal = { paymentId, credits: reversed, uid, reversalId }
      await perform(() => handle(credits, PaymentReversed, reversal))
    },
    reinstate: async ({ which }) => {
      const reversalId = id('reversal', which)
      const reversal = reversals[which]
      if (!reversal || reversal.reinstated) return
      reversal.reinstated = true
      const { paymentId, credits: back } = reversal
      model.reinstate(expected, paymentId, back)
      await perform(() => handle(credits, PaymentReinstated, { paymentId, credits: back, uid, reversalId }))
    },
    adjust: ({ which, cents }) => {
      const amountCents = which % 2 === 0 ? cents : -cents
      const adjustment = {
        params: { id: id('adjustment', done.length) },
        body: { uid, amountCents, reason: 'so' },
      }
      return agree(model.adjust(expected, amountCents), () => api.adjust(adjustment))
    },
    gift: ({ which, cents }) => {
      const songId = id('song', which)
      model.unpaid(expected, songId, 'gift')
      const event = cents % 2 === 0 ? SongFulfilled : SongStarted
      return perform(() => handle(credits, event, { songId, uid, gift: true }))
    },
    close: ({ which, cents }) => {
      const songId = id('song', which)
      const stays = cents % 2 === 1
      model.unpaid(expected, songId, 'closed')
      return perform(() => handle(credits, SongClosed, { songId, uid, reason: 'cancelled', stays }))
    },
    // the same command under a new event id: nothing may change
    redeliver: async ({ which, cents }) => done[(which + cents) % done.length]?.(),
  }
  return { expected, run: (step: Step) => acts[step.act](step) }
}
