/** A bug planted in a copy of the product: text that is replaced, and the tests that must turn red. */
export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** By file: the beginnings of titles. */
  readonly red: Readonly<Record<string, readonly string[]>>
}

export interface Edit {
  readonly file: string
  /** Found exactly once. */
  readonly from: string
  readonly to: string
}

const LEDGER = 'services/credits/migrations/0001-ledger.sql'
const CREDITS_RACES = 'services/credits/test/races.test.ts'
const CREDITS_PAYMENTS = 'services/credits/test/payments.test.ts'
const CREDITS_SONGS = 'services/credits/test/songs.test.ts'
const WEBHOOKS = 'services/payments/test/webhooks.test.ts'
const ORDERS = 'services/payments/test/orders.test.ts'
const REFUNDS = 'services/payments/test/refunds.test.ts'
const FACTS = 'services/payments/src/domain/facts.ts'
const MONEY = { 'infra/soak/money.test.ts': ['whatever happens in whatever order'] }

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no inbox: an event that was handled is handled again',
    edits: [
      {
        file: 'services/platform/src/postgres/migrations/0001-outbox-inbox.sql',
        from: `if event_seq <= mark.seq then return 'done'; end if;`,
        to: `if event_seq <= mark.seq then return 'next'; end if;`,
      },
    ],
    red: { 'services/platform/test/events.test.ts': ['postgres bus: an event delivered twice'] },
  },
  {
    name: 'seq drawn before the lock: two transactions can draw the same number or commit out of order',
    edits: [
      {
        file: 'services/platform/src/postgres/migrations/0003-traces.sql',
        from: 'on conflict (key) do update set last_seq = k.last_seq + excluded.last_seq',
        to: `on conflict (key) do update set last_seq = (select o.last_seq from outbox_key o where o.key = excluded.key) + excluded.last_seq`,
      },
    ],
    red: { 'services/platform/test/outbox.test.ts': ['two transactions that emit for one key'] },
  },
  {
    name: 'the relay takes an event for sent before the bus has it',
    edits: [
      {
        file: 'services/platform/src/postgres/relay.ts',
        from: 'for (const [topic, rowsOfTopic] of Map.groupBy(rows, (row) => row.topic)) {',
        to: `await connection.query('delete from outbox_unsent where id = any($1::bigint[])', [rows.map((row) => row.id)])
  for (const [topic, rowsOfTopic] of Map.groupBy(rows, (row) => row.topic)) {`,
      },
    ],
    red: { 'services/platform/test/outbox.test.ts': ['what the bus did not take is sent again'] },
  },
  {
    name: 'no row lock: two postings read the same balance',
    edits: [
      {
        file: LEDGER,
        from: 'from account a where a.uid = person_uid for update;',
        to: 'from account a where a.uid = person_uid;',
      },
    ],
    red: {
      [CREDITS_RACES]: [
        'of 200 songs asked for at once',
        'a top-up waits for a request that is being answered',
      ],
    },
  },
  {
    name: 'the lock is taken inside a savepoint that rolls back',
    edits: [
      {
        file: LEDGER,
        from: `    from account a where a.uid = person_uid for update;
  if not found then`,
        to: `    from account a where a.uid = person_uid;
  begin
    perform from account a where a.uid = person_uid for update;
    raise exception 'locked';
  exception when raise_exception then
    null;
  end;
  if answer.version is null then`,
      },
    ],
    red: {
      [CREDITS_RACES]: [
        'of 200 songs asked for at once',
        'a top-up waits for a request that is being answered',
      ],
    },
  },
  {
    name: 'a charge has no key of its own: a request that comes under a new event id is charged again',
    edits: [
      {
        file: 'services/credits/src/domain/journals.ts',
        from: `  kind: 'song',
  key: songId,
  uid,
  reason: 'song',
  reference: songId,
  lines: lines({ [person(uid)]: -SONG_PRICE_CENTS, sales: SONG_PRICE_CENTS }),`,
        to: `  kind: 'song',
  key: \`\${songId}:\${Math.random()}\`,
  uid,
  reason: 'song',
  reference: songId,
  lines: lines({ [person(uid)]: -SONG_PRICE_CENTS, sales: SONG_PRICE_CENTS }),`,
      },
    ],
    red: {
      [CREDITS_SONGS]: ['a song is charged once even when'],
      [CREDITS_RACES]: ['one song asked for twenty times'],
    },
  },
  {
    name: 'check, then insert: a webhook is looked for before it is stored',
    edits: [
      {
        file: 'services/payments/src/store/webhook-events.ts',
        from: "values ($1, $2, $3, $4, $5, $6, 'received', $7) on conflict do nothing`,",
        to: `select $1, $2, $3, $4, $5, $6::jsonb, 'received', $7::bigint
       where not exists (select from webhook_event where provider = $1 and id = $2)\`,`,
      },
    ],
    red: { [WEBHOOKS]: ['a paid checkout is credited once'] },
  },
  {
    name: 'emit on replay: a credit that was posted before is told again',
    edits: [
      {
        file: 'services/credits/src/handlers/credit-payment.ts',
        from: `    if (posting.outcome !== 'applied') return\n`,
        to: '',
      },
    ],
    red: { [CREDITS_PAYMENTS]: ['a payment is credited once even when'] },
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
        file: 'services/payments/src/routes/read-payments.ts',
        from: `    throw new AppError('session_not_found')
  const amount`,
        to: `    throw new AppError('session_not_found')
  await db.transaction((tx) =>
    takeReading(tx, payment.method, {
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
        file: 'services/payments/src/routes/read-payments.ts',
        from: `import type { Parts } from '../deps.ts'\n`,
        to: `import type { Parts } from '../deps.ts'\nimport { takeReading } from '../take-reading.ts'\n`,
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
      'services/payments/test/reconciliation.test.ts': ['what reconciliation finds must match'],
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
        file: 'services/payments/src/take-reading.ts',
        from: 'return payment.paymentIntent === null ? takeWaiting(tx, taken, reading.paymentIntent) : taken',
        to: 'return taken',
      },
    ],
    red: { [ORDERS]: ['all 120 orders of the messages about a payment that was paid at once'], ...MONEY },
  },
  {
    name: 'messages about one payment at the same moment pass each other unseen',
    edits: [
      {
        file: 'services/payments/src/take-reading.ts',
        from: '  if (reading.paymentIntent !== null) await lockIntent(tx, reading.paymentIntent)\n',
        to: '',
      },
    ],
    red: { [ORDERS]: ['messages about one payment that come at the same moment'] },
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
        from: `          { idempotencyKey: id },\n`,
        to: '',
      },
    ],
    red: { [REFUNDS]: ['a refund goes to the provider once'], ...MONEY },
  },
  {
    name: 'a transfer is read without a lock before it is settled',
    edits: [
      {
        file: 'services/payments/src/routes/transfers.ts',
        from: 'const transfer = await lockPayment(tx, id)',
        to: 'const transfer = await findPayment(tx, id)',
      },
    ],
    red: { 'services/payments/test/transfers.test.ts': ['a transfer is settled once'] },
  },
  {
    name: 'reconciliation does not look at what was told of paid payments',
    edits: [
      {
        file: 'services/payments/src/jobs.ts',
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
        from: 'if (!KEPT.has(key) || isAddress(value) || Array.isArray(value)) return []',
        to: 'if (Array.isArray(value)) return []',
      },
    ],
    red: { [WEBHOOKS]: ['names and addresses of a webhook are not kept'] },
  },
  {
    name: 'credits that arrive charge no song that waits',
    edits: [
      {
        file: 'services/credits/src/credits-arrived.ts',
        from: 'return settled.balanceCents >= SONG_PRICE_CENTS ? chargeWaitingSongs(tx, ledger, settled) : settled',
        to: 'return settled.balanceCents < 0 ? chargeWaitingSongs(tx, ledger, settled) : settled',
      },
    ],
    red: { [CREDITS_SONGS]: ['waiting songs are charged oldest first'], ...MONEY },
  },
  {
    name: 'songs that wait are charged before a debt is settled',
    edits: [
      {
        file: 'services/credits/src/credits-arrived.ts',
        from: `  const settled = account.debtCents > 0 ? await settleDebts(tx, ledger, cause, account) : account
  return settled.balanceCents >= SONG_PRICE_CENTS ? chargeWaitingSongs(tx, ledger, settled) : settled`,
        to: `  const charged = account.balanceCents >= SONG_PRICE_CENTS ? await chargeWaitingSongs(tx, ledger, account) : account
  return charged.debtCents > 0 ? settleDebts(tx, ledger, cause, charged) : charged`,
      },
    ],
    red: { [CREDITS_PAYMENTS]: ['the next credits settle the debt first'] },
  },
  {
    name: 'a debt is not told',
    edits: [
      { file: 'services/credits/src/tell-debt.ts', from: 'if (change !== 0)', to: 'if (change !== change)' },
    ],
    red: {
      [CREDITS_PAYMENTS]: ['a reversal of what is all spent is told as a debt'],
      'services/credits/test/model.test.ts': ['whatever happens in whatever order'],
    },
  },
  {
    name: 'a gift does not take the key of the charge: it is charged when its request comes later',
    edits: [
      {
        file: 'services/credits/src/domain/journals.ts',
        from: `export const songGift = (uid: string, songId: string): Journal => ({
  kind: 'song',
  key: songId,`,
        to: `export const songGift = (uid: string, songId: string): Journal => ({
  kind: 'song',
  key: \`gift:\${songId}\`,`,
      },
    ],
    red: {
      [CREDITS_SONGS]: ['a gift that arrives before its request'],
      [CREDITS_RACES]: ['a gift and the top-up that pays'],
    },
  },
  {
    name: 'a song that is held for a refund can be fulfilled',
    edits: [
      {
        file: 'services/songs/src/domain/song.ts',
        from: `if (song.charge === 'deciding' || song.refundHeld) throw`,
        to: `if (song.charge === 'deciding') throw`,
      },
    ],
    red: { 'services/songs/test/songs.test.ts': ['a song held for a refund cannot be fulfilled'] },
  },
  {
    name: 'a decline that comes late takes the charge away',
    edits: [
      {
        file: 'services/songs/src/domain/song.ts',
        from: `  if (FORWARD.indexOf(charge) <= FORWARD.indexOf(song.charge)) return song\n`,
        to: '',
      },
    ],
    red: { 'services/songs/test/song-state.test.ts': ['a decline that comes after the charge'] },
  },
  {
    name: 'the ledger’s rows can be changed and removed by its own service',
    edits: [
      {
        file: 'services/credits/src/credits.ts',
        from: `appendOnly: ['journal', 'entry'],`,
        to: 'appendOnly: [],',
      },
    ],
    red: {
      'services/credits/test/append-only.test.ts': ['the service itself can neither change nor remove'],
    },
  },
  {
    name: 'a repeated request runs again while the first one runs',
    edits: [
      {
        file: 'gateway/src/store/idempotency-keys.ts',
        from: `if (known.status === null || known.body === null) return { state: 'running' }`,
        to: `if (known.status === null || known.body === null) return { state: 'run', resourceId: newId(), attempt }`,
      },
    ],
    red: { 'gateway/test/once.test.ts': ['a repeat while the first one still runs'] },
  },
]
