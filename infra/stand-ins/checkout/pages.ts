import type { FastifyInstance, FastifyReply } from 'fastify'
import { escape, type Page, replyPage } from '../page.ts'
import { type Effect, pay, payLater } from './effects.ts'
import type { Engine } from './engine.ts'
import type { Charge, Checkout } from './objects.ts'

/** The hosted checkout and the receipts: plain forms, no scripts. */
export function registerPages(app: FastifyInstance, engine: Engine): void {
  app.addHook('onRequest', async (_request, reply) => {
    if (engine.isOut()) return replyPage(reply, 503, messagePage('This page is not available at the moment.'))
    await engine.expireDue()
  })
  app.setNotFoundHandler((_request, reply) => replyPage(reply, 404, messagePage('There is no such page.')))

  app.get('/c/pay/:id', (request, reply) => show(reply, engine, idOf(request.params)))
  app.post('/c/pay/:id', async (request, reply) => {
    const id = idOf(request.params)
    const checkout = engine.store.get('checkout', id)
    if (checkout?.session.status !== 'open') return show(reply, engine, id)
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    return decide(reply, engine, checkout, form.get('outcome'))
  })
  app.get('/receipts/:id', (request, reply) => {
    const charge = engine.store.get('charge', idOf(request.params))
    return charge
      ? replyPage(reply, 200, receiptPage(charge))
      : replyPage(reply, 404, messagePage('There is no such receipt.'))
  })
}

const idOf = (params: unknown): string => (params as { id: string }).id

function show(reply: FastifyReply, engine: Engine, id: string): FastifyReply {
  const checkout = engine.store.get('checkout', id)
  if (!checkout) return replyPage(reply, 404, messagePage('There is no such checkout.'))
  return replyPage(reply, 200, checkoutPage(checkout, null))
}

async function decide(reply: FastifyReply, engine: Engine, checkout: Checkout, outcome: string | null) {
  const { session } = checkout
  const succeed = async (effect: Effect): Promise<FastifyReply> => {
    await engine.perform(effect)
    return reply.redirect(session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id), 303)
  }
  if (outcome === 'pay') return succeed(pay(checkout, engine.now()))
  if (outcome === 'pay_later') return succeed(payLater(checkout, engine.now()))
  if (outcome === 'cancel' && session.cancel_url !== null) return reply.redirect(session.cancel_url, 303)
  const sentence =
    outcome === 'decline'
      ? 'Your card was declined. Nothing was charged; you can try again.'
      : 'Choose what to do.'
  return replyPage(reply, 200, checkoutPage(checkout, sentence))
}

export const money = (cents: number, currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100)

function checkoutPage(checkout: Checkout, sentence: string | null): Page {
  const { session, product } = checkout
  const amount = money(session.amount_total, session.currency)
  return {
    title: `Pay ${amount}`,
    body: `<p class="soft">Test checkout. No real money moves.</p>
<h1>${escape(amount)}</h1>
<p>${escape(product)}${session.customer_email === null ? '' : `<br><span class="soft">for ${escape(session.customer_email)}</span>`}</p>
${sentence === null ? '' : `<p class="error" role="alert">${escape(sentence)}</p>`}
${session.status === 'open' ? form(session.id, amount) : `<p role="status">${escape(endSentence(checkout))}</p>`}`,
  }
}

const form = (id: string, amount: string): string => `<form method="post" action="/c/pay/${escape(id)}">
<p><button name="outcome" value="pay">Pay ${escape(amount)}</button></p>
<p><button class="quiet" name="outcome" value="pay_later">Pay later</button></p>
<p><button class="quiet" name="outcome" value="decline">Decline the card</button></p>
<p><button class="quiet" name="outcome" value="cancel">Cancel</button></p>
</form>`

function endSentence({ session }: Checkout): string {
  if (session.status === 'expired') return 'This checkout has expired. Nothing was charged.'
  if (session.payment_status === 'paid') return 'This checkout is finished: it has been paid.'
  return 'This checkout is finished: its payment is under way or has failed.'
}

const messagePage = (sentence: string): Page => ({
  title: 'Checkout',
  body: `<h1>Checkout</h1><p>${escape(sentence)}</p>`,
})

const receiptPage = (charge: Charge): Page => ({
  title: 'Receipt',
  body: `<p class="soft">Test checkout. No real money moved.</p>
<h1>Receipt</h1>
<p>Paid: ${escape(money(charge.amount, charge.currency))}</p>
<p>Refunded: ${escape(money(charge.amount_refunded, charge.currency))}</p>
<p class="soft">${escape(charge.id)}</p>`,
})
