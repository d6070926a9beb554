import type { Mutant } from './mutant.ts'

const SONG = 'services/songs/src/domain/song.ts'
const DELIVERY = 'services/songs/src/domain/delivery.ts'
const STORE = 'services/songs/src/store/song.ts'
const UNPAID = 'services/credits/src/handlers/settle-unpaid.ts'

const MONEY = { 'infra/tests/soak/money.test.ts': ['whatever happens in whatever order'] }
const ordered = (title: string): Mutant['red'] => ({ 'services/songs/test/order.test.ts': [title] })

/** Bugs in the promise of an order, its ways out and its changes, and in the end of an account. */
export const ordersMutants: readonly Mutant[] = [
  {
    name: 'account: the debt of a closed one stays',
    edits: [
      {
        file: 'services/credits/src/handlers/close-account.ts',
        from: 'account.debtCents > 0 ? await debtsOf(tx, uid) : []',
        to: '[] as { paymentId: string; owedCents: number }[]',
      },
    ],
    red: { 'services/credits/test/closed-accounts.test.ts': ['debts are written off'] },
  },
  {
    name: 'account: a request that comes after its closing waits for credits',
    edits: [
      {
        file: 'services/credits/src/store/waiting-songs.ts',
        from: '     where not exists (select from closed_account where uid = $2::text)\n',
        to: '',
      },
    ],
    red: MONEY,
  },
  {
    name: 'order: the credits of a closed song stay with us',
    edits: [
      { file: UNPAID, from: `settle(tx, ledger, uid, songId, 'closed', reason)`, to: 'Promise.resolve()' },
    ],
    red: MONEY,
  },
  {
    name: 'order: a closed song that a top-up charged meanwhile is not refunded',
    edits: [
      {
        file: UNPAID,
        from: 'else await refundSong(tx, ledger, uid, songId, closed)',
        to: `else if (as === 'gift') await refundSong(tx, ledger, uid, songId, closed)`,
      },
    ],
    red: MONEY,
  },
  {
    name: 'order: a closed song is delivered',
    edits: [
      {
        file: SONG,
        from: `  assertPending(song)
  assertDecided(song)
  if (song.charge !== 'charged'`,
        to: `  if (song.status === 'ready') throw new AppError('song_already_ready')
  assertDecided(song)
  if (song.charge !== 'charged'`,
      },
    ],
    red: ordered('a cancelled or declined song is closed'),
  },
  {
    name: 'order: a song changes without the lock of its row',
    edits: [{ file: STORE, from: 'order by id for update', to: 'order by id' }],
    red: ordered('of a fulfilment and a cancellation at once'),
  },
  {
    name: 'order: its owner cancels what the studio works on',
    edits: [
      {
        file: SONG,
        from: `  if (song.startedAt !== null && song.lateAt === null) throw new AppError('song_started')`,
        to: '',
      },
    ],
    red: ordered('the studio: a started song'),
  },
  {
    name: 'order: a late song cannot be cancelled once it is started',
    edits: [
      { file: SONG, from: 'song.startedAt !== null && song.lateAt === null', to: 'song.startedAt !== null' },
    ],
    red: ordered('a song whose promise passes is late once'),
  },
  {
    name: 'order: cancelled while credits decides',
    edits: [
      {
        file: SONG,
        from: `throw new AppError('song_started')
  assertDecided(song)`,
        to: `throw new AppError('song_started')`,
      },
    ],
    red: ordered('a cancelled or declined song is closed'),
  },
  {
    name: 'order: a late song is recorded as late at every round',
    edits: [
      { file: SONG, from: '  song.lateAt === null &&\n', to: '' },
      { file: STORE, from: '<= $1 and late_at is null', to: '<= $1' },
    ],
    red: ordered('a song whose promise passes is late once'),
  },
  {
    name: 'order: the promise forgets the songs before it',
    edits: [{ file: SONG, from: '(ahead / terms.songsPerDay)', to: '(0 / terms.songsPerDay)' }],
    red: ordered('the promise grows with the charged songs before it'),
  },
  {
    name: 'order: the promise moves when the studio begins',
    edits: [
      {
        file: SONG,
        from: 'return withStep(isPromised ? begun :',
        to: 'return withStep(!isPromised ? begun :',
      },
    ],
    red: { 'services/songs/test/song-state.test.ts': ['whatever arrives in whatever order'] },
  },
  {
    name: 'order: more rounds of changes than are included',
    edits: [
      { file: DELIVERY, from: 'changesAsked: song.changesAsked + 1', to: 'changesAsked: song.changesAsked' },
    ],
    red: ordered('one round of changes'),
  },
  {
    name: 'order: silence accepts while changes are asked for',
    edits: [
      { file: DELIVERY, from: `song.changes?.state !== 'asked' && now >=`, to: 'now >=' },
      {
        file: DELIVERY,
        from: `  if (song.changes?.state === 'asked') throw new AppError('changes_asked')\n`,
        to: '',
      },
      {
        file: STORE,
        from: `       and (changes is null or changes ->> 'state' <> 'asked') order by`,
        to: '       order by',
      },
    ],
    red: ordered('a song counts as accepted when the time for changes is over'),
  },
  {
    name: 'order: an accepted song is changed again',
    edits: [{ file: DELIVERY, from: 'song.acceptedAt !== null || at >=', to: 'at >=' }],
    red: ordered('one round of changes'),
  },
]
