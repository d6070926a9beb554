import type { FastifyInstance } from 'fastify'
import { escape, type Page, replyPage } from '../page.ts'
import { ACTS } from './acts.ts'
import { Impossible } from './effects.ts'
import type { Engine } from './engine.ts'
import type { Checkout } from './objects.ts'
import { money } from './pages.ts'
import { StripeError } from './stripe-error.ts'

const SHOWN = 30
const OUTAGE_SECONDS = 60

interface Button {
  readonly label: string
  readonly act: string
  readonly body?: Readonly<Record<string, unknown>>
}

/** Every act of the control API with its label. */
const BUTTONS: Readonly<Record<string, Button>> = {
  settle: { label: 'The money arrives', act: 'settle' },
  fail: { label: 'The money never comes', act: 'fail' },
  expire: { label: 'Expire', act: 'expire' },
  refund1: { label: 'Refund $1', act: 'refund', body: { amount: 1 } },
  refund: { label: 'Refund the rest', act: 'refund' },
  failRefund: { label: 'The last refund fails', act: 'fail-refund' },
  dispute: { label: 'Dispute', act: 'dispute' },
  reinstate: { label: 'Win the dispute', act: 'reinstate' },
  lose: { label: 'Lose the dispute', act: 'lose' },
}

/** Of the provider as a whole. */
const PROVIDER_BUTTONS: Readonly<
  Record<string, { label: string; run: (engine: Engine) => Promise<void> | void }>
> = {
  out: { label: `Be out for ${OUTAGE_SECONDS} s`, run: (engine) => engine.goOut(OUTAGE_SECONDS) },
  back: { label: 'Be back', run: (engine) => engine.goOut(0) },
  hold: { label: 'Hold webhooks', run: ({ webhooks }) => webhooks.hold() },
  release: { label: 'Release them', run: ({ webhooks }) => webhooks.release() },
}

/** Page `/`: the checkouts and their possible acts; also works during a simulated outage. */
export function registerDesk(app: FastifyInstance, engine: Engine): void {
  app.addHook('onRequest', () => engine.expireDue())
  app.get('/', (_request, reply) => replyPage(reply, 200, deskPage(engine, null)))
  app.post('/', async (request, reply) => {
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const refusal = await press(engine, form)
    return refusal === null ? reply.redirect('/', 303) : replyPage(reply, 409, deskPage(engine, refusal))
  })
}

/** Answers null, or why the act is not possible. */
async function press(engine: Engine, form: URLSearchParams): Promise<string | null> {
  const ofProvider = ownOf(PROVIDER_BUTTONS, form.get('provider'))
  const button = ownOf(BUTTONS, form.get('button'))
  const checkout = engine.store.get('checkout', form.get('session') ?? '')
  const act = button && ACTS[button.act]
  try {
    if (ofProvider) await ofProvider.run(engine)
    else if (checkout && button && act) await engine.perform(act(engine, checkout, button.body ?? {}))
    else return 'There is no such checkout or act.'
    return null
  } catch (error) {
    if (error instanceof Impossible || error instanceof StripeError) return error.message
    throw error
  }
}

const ownOf = <T>(table: Readonly<Record<string, T>>, key: string | null): T | undefined =>
  key !== null && Object.hasOwn(table, key) ? table[key] : undefined

function deskPage(engine: Engine, refusal: string | null): Page {
  const checkouts = engine.store.list('checkout').toReversed().slice(0, SHOWN)
  return {
    title: 'Test checkout',
    body: `<div class="wide"><h1>Test checkout</h1>
<p class="soft">Plays what a payment provider and its banks do. No real money moves.</p>
${refusal === null ? '' : `<p class="error" role="alert">${escape(refusal)}</p>`}
<form method="post" action="/" aria-label="Provider">
${Object.entries(PROVIDER_BUTTONS)
  .map(
    ([name, { label }]) => `<button class="quiet" name="provider" value="${name}">${escape(label)}</button>`,
  )
  .join('\n')}
</form>
${checkouts.map((checkout) => sheet(engine, checkout)).join('\n')}
${checkouts.length === 0 ? '<p>No checkout has been opened yet.</p>' : ''}</div>`,
  }
}

function sheet(engine: Engine, checkout: Checkout): string {
  const { session } = checkout
  const buttons = Object.entries(BUTTONS).filter(([, button]) => isPossible(engine, checkout, button))
  return `<form method="post" action="/">
<h2>${escape(money(session.amount_total, session.currency))} · ${escape(session.customer_email ?? 'nobody')}</h2>
<p class="soft">${session.status}, ${session.payment_status} · <a href="/c/pay/${escape(session.id)}">its page</a><br>${escape(session.id)}</p>
<input type="hidden" name="session" value="${escape(session.id)}">
${buttons
  .map(([name, { label }]) => `<button class="quiet" name="button" value="${name}">${escape(label)}</button>`)
  .join('\n')}
</form>`
}

/** Only possible acts are offered: acts are pure, so each is tried. */
function isPossible(engine: Engine, checkout: Checkout, { act, body = {} }: Button): boolean {
  try {
    ACTS[act]?.(engine, checkout, body)
    return true
  } catch {
    return false
  }
}
