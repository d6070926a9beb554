import type { Query } from '../../src/database/index.ts'

/** The row whose lock orders the events about it, by the type of an event. */
interface Aggregate {
  readonly table: string
  readonly column: string
  /** The field of the event's data that names the row. */
  readonly field: string
}

const SONG = { table: 'song', column: 'id', field: 'songId' }
const ACCOUNT = { table: 'account', column: 'uid', field: 'uid' }
const PAYMENT = { table: 'payment', column: 'id', field: 'paymentId' }
const TRANSFER = { ...PAYMENT, field: 'transferId' }

export const AGGREGATES: Readonly<Record<string, Aggregate>> = {
  UserRegistered: { table: 'user_record', column: 'uid', field: 'uid' },
  UnlockLimitReached: { table: 'user_record', column: 'uid', field: 'uid' },
  OperatorUnlocked: { table: 'session_of', column: 'id', field: 'sessionId' },
  AccountClosed: { table: 'closed_account', column: 'uid', field: 'uid' },
  SongRequested: SONG,
  SongUpdated: SONG,
  SongStarted: SONG,
  SongFulfilled: SONG,
  SongClosed: SONG,
  SongLate: SONG,
  ChangesAsked: SONG,
  MessageWritten: SONG,
  MessagesRead: SONG,
  ChangesDelivered: SONG,
  TakeReplaced: SONG,
  TakesChanged: SONG,
  TakesRefused: SONG,
  SongErased: { ...SONG, table: 'erased_song' },
  CreditsCharged: ACCOUNT,
  CreditsDeclined: ACCOUNT,
  CreditsRefunded: ACCOUNT,
  CreditsReversed: ACCOUNT,
  CreditsAdded: ACCOUNT,
  CreditsTaken: ACCOUNT,
  CreditsAdjusted: ACCOUNT,
  DebtChanged: ACCOUNT,
  PaymentSucceeded: PAYMENT,
  PaymentReversed: PAYMENT,
  PaymentReinstated: PAYMENT,
  PaymentUpdated: PAYMENT,
  PaymentSuspicious: PAYMENT,
  TransferOpened: TRANSFER,
  TransferSettled: TRANSFER,
  NoticeAdded: { table: 'notice', column: 'id', field: 'noticeId' },
  VersionsAnalyzed: { table: 'analysis', column: 'song_id', field: 'songId' },
  DraftChanged: { table: 'draft', column: 'id', field: 'draftId' },
}

/**
 * From here on an event can only be appended while its transaction holds the lock on the row of its aggregate: it has
 * inserted, changed or locked it. Events of other types, of tests, are let through.
 */
export async function assertLockedAggregates(admin: Query): Promise<void> {
  const aggregates = JSON.stringify(AGGREGATES).replaceAll("'", "''")
  await admin.query(`create function assert_locked_aggregate() returns trigger language plpgsql as $$
    declare
      aggregate constant jsonb := '${aggregates}'::jsonb -> new.type;
      is_locked boolean := true;
    begin
      if aggregate is not null and to_regclass(aggregate ->> 'table') is not null then
        execute format('select exists (select from %I where %I::text = $1 and pg_current_xact_id()::xid in (xmin, xmax))',
          aggregate ->> 'table', aggregate ->> 'column') using new.data ->> (aggregate ->> 'field') into is_locked;
      end if;
      if not is_locked then raise exception '% is emitted without the lock on its %', new.type, aggregate ->> 'table'; end if;
      return new;
    end $$`)
  await admin.query(
    'create trigger locked_aggregate before insert on event for each row execute function assert_locked_aggregate()',
  )
}
