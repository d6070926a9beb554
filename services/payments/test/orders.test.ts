import { expect, test } from 'vitest'
import { type Opened, type PaymentsUnderTest, startPayments } from './start-payments.ts'

const MESSAGES = ['completed', 'succeeded', 'failed', 'refunded', 'disputed'] as const

test.for<[string, string]>([
  ['was paid at once', 'paid'],
  ['was to be paid later', 'unpaid'],
])(
  'all 120 orders of the messages about a payment that %s, each sent twice, end as the model says',
  async ([, payment_status]) => {
    await using payments = await startPayments()
    const ends = new Map<string, number>()
    for (const order of permutations(MESSAGES)) {
      const payment = await payments.open()
      const say = messagesOf(payment, payment_status)
      const sent = order.map((name) => ({ ...say[name], id: `evt_${name}_${payment.id}` }))
      for (const message of [...sent, ...sent.toReversed()]) await payments.send(message)
      const end = JSON.stringify(await endOf(payments, payment))
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
    // money that came counts whatever failed before; 10 of 25 dollars went back and a bank holds the other 15
    const model = {
      status: 'disputed',
      refundedCents: 1000,
      firstIsSuccess: true,
      successes: 1,
      reversed: 2500,
    }
    expect([...ends]).toEqual([[JSON.stringify(model), 120]])
  },
)

test('while the money has not come, no order of the other messages credits or takes anything', async () => {
  await using payments = await startPayments()
  for (const order of permutations(['completed', 'failed', 'refunded', 'disputed'] as const)) {
    const payment = await payments.open()
    const say = messagesOf(payment, 'unpaid')
    for (const name of [...order, ...order]) await payments.send(say[name])
    const nothing = { refundedCents: 0, firstIsSuccess: false, successes: 0, reversed: 0 }
    expect(await endOf(payments, payment)).toEqual({ status: 'failed', ...nothing })
  }
})

test('concurrent messages about one payment do not miss each other', async () => {
  await using payments = await startPayments()
  const all = await Promise.all(Array.from({ length: 10 }, () => payments.open()))
  await Promise.all(all.flatMap((payment) => Object.values(messagesOf(payment, 'unpaid')).map(payments.send)))
  const statuses = await Promise.all(all.map(async (payment) => (await payment.get()).status))
  expect(statuses).toEqual(Array(10).fill('disputed'))
})

const messagesOf = (payment: Opened, payment_status: string) => ({
  completed: { type: 'checkout.session.completed', object: payment.session({ payment_status }) },
  succeeded: { type: 'checkout.session.async_payment_succeeded', object: payment.session() },
  failed: {
    type: 'checkout.session.async_payment_failed',
    object: payment.session({ payment_status: 'unpaid' }),
  },
  refunded: { type: 'charge.refunded', object: payment.charge({ amount_refunded: 1000 }) },
  disputed: { type: 'charge.dispute.created', object: payment.dispute({ amount: 1500 }) },
})

async function endOf(payments: PaymentsUnderTest, payment: Opened) {
  const { status, refundedCents } = await payment.get()
  const emitted = (await payments.emitted(payment.id)).filter(({ type }) => type !== 'PaymentUpdated')
  const sum = (type: string): number =>
    emitted.filter((one) => one.type === type).reduce((total, { data }) => total + Number(data['credits']), 0)
  return {
    status,
    refundedCents,
    firstIsSuccess: emitted[0]?.type === 'PaymentSucceeded',
    successes: emitted.filter(({ type }) => type === 'PaymentSucceeded').length,
    reversed: sum('PaymentReversed') - sum('PaymentReinstated'),
  }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((item, i) =>
    permutations(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]),
  )
}
