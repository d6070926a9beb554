import type { Mutant } from './mutant.ts'

const LEDGER = 'services/credits/src/store/ledger.ts'
const CREDITS_RACES = 'services/credits/test/races.test.ts'
const CREDITS_PAYMENTS = 'services/credits/test/payments.test.ts'
const CREDITS_SONGS = 'services/credits/test/songs.test.ts'
const MONEY = { 'infra/tests/soak/money.test.ts': ['whatever happens in whatever order'] }

/** Bugs in the ledger. */
export const creditsMutants: readonly Mutant[] = [
  {
    name: 'no row lock: two postings read the same balance',
    edits: [
      {
        file: LEDGER,
        from: 'from account where uid = any($1) order by uid for update',
        to: 'from account where uid = any($1) order by uid',
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
    name: 'accounts are locked before those that are missing are opened: one that another transaction opened is not found',
    edits: [
      {
        file: LEDGER,
        from: 'const [opened, locked] = await Promise.all([openAccounts(tx, uids, now), selectAccounts(tx, uids)])',
        to: 'const [locked, opened] = await Promise.all([selectAccounts(tx, uids), openAccounts(tx, uids, now)])',
      },
    ],
    red: { [CREDITS_RACES]: ['of 20 songs whose requests wait while the account is opened'] },
  },
  {
    name: 'a batch locks accounts in the order of its journals: two batches deadlock',
    edits: [
      { file: LEDGER, from: 'order by uid for update', to: 'order by array_position($1, uid) for update' },
    ],
    red: { [CREDITS_RACES]: ['a batch locks accounts in the order of their uids'] },
  },
  {
    name: 'each journal of a batch is decided on the balance before the batch',
    edits: [{ file: LEDGER, from: '      accounts.set(journal.uid, posting.account)\n', to: '' }],
    red: { 'services/credits/test/posting.test.ts': ['journals of a batch are decided as if'] },
  },
  {
    name: 'a journal need not be balanced',
    edits: [
      {
        file: 'services/credits/migrations/0001-credits.sql',
        from: 'group by journal_id having sum(amount_cents) <> 0) then',
        to: 'group by journal_id having sum(amount_cents) is null) then',
      },
    ],
    red: { 'services/credits/test/append-only.test.ts': ['a journal whose entries do not sum to zero'] },
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
    name: 'a credit is not bound to its payment: one that comes under a new event id is credited again',
    edits: [
      {
        file: 'services/credits/src/domain/journals.ts',
        from: `    kind: 'payment',
    key: paymentId,`,
        to: `    kind: 'payment',
    key: crypto.randomUUID(),`,
      },
    ],
    red: { [CREDITS_PAYMENTS]: ['a payment is credited once even when'] },
  },
  {
    name: 'emit on replay: a credit that was posted before emits its event again',
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
    name: 'a debt emits no event',
    edits: [
      {
        file: 'services/credits/src/emit-debt-change.ts',
        from: 'if (change !== 0)',
        to: 'if (change !== change)',
      },
    ],
    red: {
      [CREDITS_PAYMENTS]: ['a reversal of spent credits emits a debt'],
      'services/credits/test/model.test.ts': ['whatever happens in whatever order'],
    },
  },
  {
    name: 'a gift does not take the key of the charge: it is charged when its request comes later',
    edits: [
      {
        file: 'services/credits/src/domain/journals.ts',
        from: `export const unpaidSong = (uid: string, songId: string, note: 'gift' | 'closed'): Journal => ({
  kind: 'song',
  key: songId,`,
        to: `export const unpaidSong = (uid: string, songId: string, note: 'gift' | 'closed'): Journal => ({
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
    name: 'the ledger’s rows can be changed and removed by its own service',
    edits: [
      {
        file: 'services/credits/src/index.ts',
        from: `appendOnly: ['journal', 'entry'],`,
        to: 'appendOnly: [],',
      },
    ],
    red: {
      'services/credits/test/append-only.test.ts': ['the service itself can neither change nor remove'],
    },
  },
]
