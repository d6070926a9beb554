import { fromCents } from '@prelude/contracts'
import * as ledger from '@prelude/credits/model'
import { isCode, newId } from '@prelude/platform'
import { onAccount } from './model.ts'
import { signed } from './provider.ts'
import { DONE, expectedOf, goneCents, leftCents, openTruth, type Truth } from './truth.ts'
import type { Act, World } from './world.ts'

interface Payment {
  readonly id: string
  readonly uid: string
  /** At the provider; null: a transfer. */
  readonly sessionId: string | null
  readonly truth: Truth
}

const REFUND_REFUSALS = ['invalid_amount', 'not_paid', 'refund_too_high'] as const

/** Checkouts, webhooks, refunds and transfers of the people of a life. */
export class Money {
  readonly #world: World
  readonly #payments: Payment[] = []
  /** What the provider has reported; sent or not, in any order, any number of times. */
  readonly #messages: { readonly event: Record<string, unknown>; isSent: boolean }[] = []

  constructor(world: World) {
    this.#world = world
  }

  get #api() {
    return this.#world.services.payments
  }

  async adjust(uid: string, cents: number): Promise<void> {
    const adjustment = { params: { id: newId() }, body: { uid, amountCents: cents, reason: 'so' } }
    const run = () => this.#world.services.credits.adjust(adjustment)
    await this.#world.atOnce([
      {
        name: `adjust ${uid} by ${cents}`,
        run,
        model: (model) => onAccount(model, uid, (account) => ledger.adjust(account, cents)) === true,
      },
    ])
  }

  async topUp(uid: string, cents: number): Promise<void> {
    const id = newId()
    const body = { uid, email: 'ada@example.test', amountCents: cents }
    const { url } = await this.#world.survive(() => this.#api.startCheckout({ params: { id }, body }))
    this.#payments.push({ id, uid, sessionId: url.split('/').at(-1) ?? '', truth: openTruth(cents) })
    this.#world.story.push(`${uid} opens checkout ${id} of ${cents}`)
  }

  /** Something happens at the provider, if it is possible there. */
  async happen(which: number, act: string, cents: number): Promise<void> {
    const { provider } = this.#world.services
    const checkout = pick(
      this.#payments.filter(({ sessionId }) => sessionId !== null),
      which,
    )
    if (!checkout?.sessionId) return
    const { id, sessionId, truth } = checkout
    const amountCents = Math.min(cents, leftCents(truth))
    const done =
      act === 'pay' || act === 'pay_later'
        ? await provider.press(sessionId, act)
        : await provider.act(sessionId, act, act === 'refund' ? { amount: fromCents(amountCents) } : {})
    if (!done) return
    this.#world.story.push(`at the provider: ${act} ${id}`)
    DONE[act]?.(truth, amountCents)
    await this.#listen()
  }

  async #listen(): Promise<void> {
    for (const event of await this.#world.services.provider.newEvents())
      this.#messages.push({ event, isSent: false })
  }

  get unsent(): number[] {
    return this.#messages.flatMap(({ isSent }, index) => (isSent ? [] : [index]))
  }

  /** Any message, whether it was sent before or not; `renamed` under another event id. */
  async webhook(which: number, renamed: boolean): Promise<void> {
    const message = pick(this.#messages, which)
    if (!message) return
    const event = renamed ? { ...message.event, id: `evt_${newId()}` } : message.event
    await this.#world.survive(() =>
      this.#api.receiveWebhook({ params: { provider: 'stripe' }, body: signed(event) }),
    )
    this.#world.story.push(`webhook ${String(event['type'])}${message.isSent ? ' again' : ''}`)
    message.isSent = true
  }

  /** The operator refunds through us, whatever we know of the payment by now. */
  async refund(which: number, cents: number): Promise<void> {
    const checkouts = this.#payments.filter(({ sessionId }) => sessionId !== null)
    const paid = checkouts.filter(({ truth }) => truth.state === 'paid')
    const checkout = pick(paid.length > 0 ? paid : checkouts, which)
    if (!checkout) return
    const { id, truth } = checkout
    const amountCents = Math.min(cents, leftCents(truth))
    const refund = { params: { id, refundId: newId() }, body: { amountCents } }
    const isDone = await this.#world.survive(async () => {
      try {
        await this.#api.refund(refund)
        return true
      } catch (error) {
        if (REFUND_REFUSALS.some((code) => isCode(error, code))) return false
        throw error
      }
    })
    this.#world.story.push(`the operator refunds ${amountCents} of ${id}: ${isDone}`)
    if (isDone) DONE['refund']?.(truth, amountCents)
    await this.#listen()
  }

  async transfer(uid: string, kobo: number, how: 'confirm' | 'reject' | 'record'): Promise<void> {
    const params = { id: newId() }
    const body = { uid, amountKobo: kobo }
    const name = `${how} transfer ${params.id} of ${uid}`
    const done = (run: Act['run'], may: boolean) =>
      this.#world.atOnce([{ name: may ? name : `${name} again`, run, model: () => may }])
    if (how === 'record') await done(() => this.#api.recordTransfer({ params, body }), true)
    else {
      await this.#world.survive(() => this.#api.openTransfer({ params, body: { uid } }))
      const settle = () =>
        how === 'confirm'
          ? this.#api.confirmTransfer({ params, body: { amountKobo: kobo } })
          : this.#api.rejectTransfer({ params, body: { reason: 'no' } })
      for (const may of [true, false]) await done(settle, may)
    }
    const truth = openTruth(Math.floor((kobo * 100) / 148_000))
    truth.state = how === 'reject' ? 'rejected' : 'paid'
    this.#payments.push({ ...params, uid, sessionId: null, truth })
  }

  async reconcile(): Promise<void> {
    await this.#world.survive(() => this.#world.services.run('payments', 'reconcile-events'))
    for (const message of this.#messages) message.isSent = true
  }

  /** When everything has settled. */
  async agreeOnPayments(): Promise<void> {
    for (const { id, uid, truth } of this.#payments) {
      const { status, refundedCents } = await this.#api.get({ params: { id } })
      this.#world.agree('a payment', { status, refundedCents }, () => expectedOf(truth))
      const isPaid = truth.state === 'paid'
      const credits = isPaid ? truth.amountCents - goneCents(truth) : null
      this.#world.agree('what a payment left in credits', credits, ({ accounts }) => {
        const known = accounts.get(uid)?.payments.get(id)
        return known ? known.credits - known.reversed : null
      })
    }
  }
}

const pick = <T>(items: readonly T[], which: number): T | undefined => items[which % items.length]
