import type { Mutant } from './mutant.ts'

const WEBHOOKS = 'services/payments/test/webhooks.test.ts'
const ORDERS = 'services/payments/test/orders.test.ts'
const REFUNDS = 'services/payments/test/refunds.test.ts'
const FACTS = 'services/payments/src/domain/facts.ts'
const MONEY = { 'infra/tests/soak/money.test.ts': ['whatever happens in whatever order'] }

/** Bugs in the handling of a provider’s messages. */
export const paymentsMutants: readonly Mutant[] = [
  {
    name: 'check, then insert: a webhook is selected before it is stored',
    edits: [
      {
        file: 'services/payments/src/store/webhook-events.ts',
        from: "values ($1, $2, $3, $4, $5, $6, 'received', $7) on conflict do nothing`,",
        to: `select $1, $2, $3, $4, $5, $6::jsonb, 'received', $7::bigint
       where not exists (select from webhook_event where provider = $1 and id = $2)\`,`,
      },
    ],
    red: { [WEBHOOKS]: ['a webhook that comes again while it is being taken'] },
  },
  {
    name: 'a checkout that is to be paid later is granted at once',
    edits: [
      {
        file: 'services/payments/src/domain/stripe-reading.ts',
        from: `return { ...reading, claim: saidOnly(claim), observations: [{ kind: 'processing' }] }`,
        to: `return { ...reading, claim: saidOnly(claim), observations: [{ kind: 'paid' }] }`,
      },
    ],
    red: {
      [WEBHOOKS]: ['a later payment is processing'],
      [ORDERS]: ['while the money has not come'],
      ...MONEY,
    },
  },
  {
    name: 'the success page grants',
    edits: [
      {
        file: 'services/payments/src/routes/get-session.ts',
        from: `      throw new AppError('session_not_found')
    const amount`,
        to: `      throw new AppError('session_not_found')
    await db.transaction((tx) =>
      applyReading(tx, payment.method, {
        paymentId: payment.id,
        sessionId: null,
        paymentIntent: null,
        claim: null,
        observations: [{ kind: 'paid' }],
        receiptUrl: null,
        eventType: null,
      }),
    )
    const amount`,
      },
      {
        file: 'services/payments/src/routes/get-session.ts',
        from: `import { findPaymentBySession } from '../store/payments.ts'\n`,
        to: `import { findPaymentBySession } from '../store/payments.ts'\nimport { applyReading } from '../apply-reading.ts'\n`,
      },
    ],
    red: { 'services/payments/test/checkout.test.ts': ['the success page grants nothing'] },
  },
  {
    name: 'the amount of a paid session is not compared with the checkout',
    edits: [
      {
        file: 'services/payments/src/domain/reading.ts',
        from: `  if (differs(claim.amountCents, expected.amountCents)) return 'amount'\n`,
        to: '',
      },
    ],
    red: {
      [WEBHOOKS]: ['a webhook about another amount', 'a webhook about no amount'],
      'services/payments/test/reconciliation.test.ts': ['a reading of reconciliation must match'],
    },
  },
  {
    name: 'test money counts as real money',
    edits: [
      {
        file: 'services/payments/src/domain/reading.ts',
        from: `  if (differs(claim.livemode, expected.livemode)) return 'livemode'\n`,
        to: '',
      },
    ],
    red: { [WEBHOOKS]: ['a webhook about live money', 'a webhook about modes that differ'] },
  },
  {
    name: 'the signature of a webhook is not checked',
    edits: [
      {
        file: 'services/payments/src/providers/stripe.ts',
        from: `        return stripe.webhooks.constructEvent(
          payload,
          signature,
          config.stripe.webhookSecret,
          SIGNATURE_TOLERANCE_SECONDS,
          undefined,
          now,
        )`,
        to: '        return JSON.parse(payload.toString())',
      },
    ],
    red: { [WEBHOOKS]: ['a webhook that is not signed'] },
  },
  {
    name: 'an old webhook can be played again',
    edits: [
      {
        file: 'services/payments/src/providers/stripe.ts',
        from: 'const SIGNATURE_TOLERANCE_SECONDS = 300',
        to: 'const SIGNATURE_TOLERANCE_SECONDS = 0',
      },
    ],
    red: { [WEBHOOKS]: ['a webhook that is not signed'] },
  },
  {
    name: 'a refund that comes before its payment is forgotten',
    edits: [
      {
        file: 'services/payments/src/apply-reading.ts',
        from: 'return payment.paymentIntent === null ? applyUnmatched(tx, applied, reading.paymentIntent) : applied',
        to: 'return applied',
      },
    ],
    red: { [ORDERS]: ['all 120 orders of the messages about a payment that was paid at once'], ...MONEY },
  },
  {
    name: 'concurrent messages about one payment miss each other',
    edits: [
      {
        file: 'services/payments/src/apply-reading.ts',
        from: '  if (reading.paymentIntent !== null) await lockIntent(tx, reading.paymentIntent)\n',
        to: '',
      },
    ],
    red: { [ORDERS]: ['concurrent messages about one payment'] },
  },
  {
    name: 'the newest message wins: a late refund sum lowers what was refunded',
    edits: [
      {
        file: FACTS,
        from: `{ ...facts, refundSums: withSum(facts.refundSums, seen.sum) }`,
        to: `{ ...facts, refundSums: [seen.sum] }`,
      },
    ],
    red: {
      [WEBHOOKS]: ['refunds are counted by their sum'],
      'services/payments/test/facts.test.ts': ['any messages in any order'],
    },
  },
  {
    name: 'a refund that failed still counts',
    edits: [
      {
        file: 'services/payments/src/domain/stripe-reading.ts',
        from: `const failedAt = status === 'failed' || status === 'canceled' ? at : null`,
        to: `const failedAt = status === 'gone' ? at : null`,
      },
    ],
    red: {
      [REFUNDS]: ['a refund that failed after all (refund.failed)', 'a refund that is under way counts'],
      ...MONEY,
    },
  },
  {
    name: 'credits are reversed before the payment is known to be paid',
    edits: [
      {
        file: FACTS,
        from: `  if (!facts.paid) return { status: unpaidStatus(facts), refundedCents: 0, reversedCents: 0 }\n`,
        to: '',
      },
    ],
    red: { [ORDERS]: ['while the money has not come'] },
  },
  {
    name: 'a closed dispute opens again when an older message comes late',
    edits: [
      {
        file: FACTS,
        from: `  if (STAGE[a.phase] !== STAGE[b.phase]) return STAGE[a.phase] > STAGE[b.phase]\n`,
        to: '',
      },
    ],
    red: { 'services/payments/test/facts.test.ts': ['a lost dispute that is won on appeal'] },
  },
  {
    name: 'a refund goes to the provider without a key: a repeat refunds again',
    edits: [
      {
        file: 'services/payments/src/providers/stripe.ts',
        from: `          { idempotencyKey, timeout: REFUND_TIMEOUT_MS },\n`,
        to: '',
      },
    ],
    red: { [REFUNDS]: ['a refund goes to the provider once'] },
  },
  {
    name: 'a transfer is read without a lock before it is settled',
    edits: [
      {
        file: 'services/payments/src/store/transfers.ts',
        from: 'const transfer = await lockPayment(tx, id)',
        to: 'const transfer = await findPayment(tx, id)',
      },
      {
        file: 'services/payments/src/store/transfers.ts',
        from: 'import { lockPayment,',
        to: 'import { findPayment,',
      },
    ],
    red: { 'services/payments/test/transfers.test.ts': ['two concurrent settlements of one transfer'] },
  },
  {
    name: 'reconciliation skips the events of paid payments',
    edits: [
      {
        file: 'services/payments/src/jobs/reconcile-events.ts',
        from: `        if (stored.has(text(event, 'id') ?? '')) continue\n`,
        to: `        if (stored.has(text(event, 'id') ?? '') || text(event, 'type') !== 'checkout.session.completed') continue\n`,
      },
    ],
    red: { 'services/payments/test/reconciliation.test.ts': ['refunds and disputes of paid payments'] },
  },
  {
    name: 'a webhook is kept with the address of its person',
    edits: [
      {
        file: 'services/payments/src/domain/kept.ts',
        from: 'if (!KEPT.has(key) || isEmail(value) || Array.isArray(value)) return []',
        to: 'if (Array.isArray(value)) return []',
      },
    ],
    red: { [WEBHOOKS]: ['names and addresses of a webhook are not kept'] },
  },
]
