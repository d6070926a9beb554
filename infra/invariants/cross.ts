import type { Invariant } from '@prelude/platform'
import { SOURCES, unhandled } from './events.ts'

/** People with events that `consumer` has yet to handle, or that wait there in dead letters. */
const behind = (consumer: string, source: string): string =>
  `select key from (${unhandled(consumer, source)}) waiting
   union select key from ${consumer}.dead_letter where topic = 'prelude.${source}' and resolved_at is null`

/** People whose events are still under way between two services that keep money or songs; they agree a moment later. */
const underWay = ['songs', 'credits', 'payments']
  .flatMap((consumer) => (SOURCES[consumer] ?? []).map((source) => behind(consumer, source)))
  .join(' union ')

/** What the ledger did for each song: +1 charged and not refunded, 0 refunded. */
const ledgerSong = `select j.reference as song_id, sum(sign(e.amount_cents)) as charged
  from credits.journal j join credits.entry e on e.journal_id = j.id where e.account = 'sales' group by j.reference`

/** All songs, those that were erased with their owner's account too: the books still know their ids and charges. `closed`: cancelled, declined or erased. */
const anySong = `(select id, uid, charge, status in ('cancelled', 'declined') as closed from songs.song
  union all select id, uid, charge, true from songs.erased_song)`

const settled = (uid: string): string => `${uid} not in (${underWay})`

/** Where two services keep the same fact, they agree. */
export const crossInvariants: readonly Invariant[] = [
  {
    name: 'songs and ledger agree which songs are charged',
    of: 'songs.song',
    sql: `select s.id, s.charge, l.charged from ${anySong} s
          full join (${ledgerSong}) l on l.song_id = s.id::text
          where (s.id is null or ${settled('s.uid')})
            and (s.id is null or (s.charge = 'charged') <> (coalesce(l.charged, 0) = 1))`,
  },
  {
    name: 'a refunded song was charged, and its charge was reversed',
    of: "songs.song where charge = 'refunded'",
    sql: `select s.id from ${anySong} s left join (${ledgerSong}) l on l.song_id = s.id::text
          where s.charge = 'refunded' and l.charged is distinct from 0 and ${settled('s.uid')}`,
  },
  {
    name: 'songs and ledger agree which songs wait for credits',
    of: 'songs.song',
    sql: `select s.id, s.charge, w.song_id from ${anySong} s
          full join (select * from credits.waiting_song where closed_at is null) w on w.song_id = s.id::text
          where (s.id is null or ${settled('s.uid')})
            and (s.id is null or (s.charge = 'declined' and not s.closed) <> (w.song_id is not null))`,
  },
  {
    name: 'every request was answered by the ledger',
    of: 'songs.song',
    sql: `select s.id from songs.song s where s.charge = 'deciding' and ${settled('s.uid')}`,
  },
  {
    name: 'payments and ledger agree what each payment added',
    of: 'payments.payment',
    sql: `select p.id, p.credits_cents, l.cents from payments.payment p
          full join (select j.reference, sum(e.amount_cents) as cents
                     from credits.journal j join credits.entry e on e.journal_id = j.id
                     where starts_with(e.account, 'person:') and e.reason in ('top_up', 'transfer') group by j.reference) l
            on l.reference = p.id::text
          where (p.id is null or ${settled('p.uid')})
            and (p.id is null or (case when p.succeeded then p.credits_cents else 0 end) <> coalesce(l.cents, 0))`,
  },
  {
    name: 'the song of every charge exists and is the same person’s',
    of: "credits.journal where kind = 'song'",
    sql: `select j.reference, j.uid, s.uid as owner from credits.journal j
          left join ${anySong} s on s.id::text = j.reference
          where j.kind = 'song' and s.uid is distinct from j.uid`,
  },
  {
    name: 'payments and ledger agree what was taken back of each payment',
    of: 'payments.payment where succeeded',
    sql: `select p.id, p.reversed_cents, l.cents from payments.payment p
          left join (select j.reference, sum(e.amount_cents) as cents
                     from credits.journal j join credits.entry e on e.journal_id = j.id
                     where j.kind in ('reversal', 'reinstatement') and e.account like '%\\_clearing' group by j.reference) l
            on l.reference = p.id::text
          where p.reversed_cents <> coalesce(l.cents, 0) and ${settled('p.uid')}`,
  },
  {
    name: 'nobody owes more for a payment than was taken back of it',
    of: "credits.journal where kind in ('reversal', 'reinstatement')",
    sql: `select d.reference, d.owed, p.reversed_cents from (
            select j.reference, -sum(e.amount_cents) as owed from credits.journal j join credits.entry e on e.journal_id = j.id
            where starts_with(e.account, 'receivable:') group by j.reference) d
          join payments.payment p on p.id::text = d.reference
          where d.owed > p.reversed_cents and ${settled('p.uid')}`,
  },
  {
    name: 'payments knows which of its payments are credited',
    of: 'payments.payment',
    sql: `select p.id, p.credited from payments.payment p
          left join credits.journal j on j.kind = 'payment' and j.key = p.id::text
          where p.credited <> (j.id is not null) and ${settled('p.uid')}`,
  },
  {
    name: 'every take that songs names is an object of storage',
    of: 'songs.take',
    sql: `select t.path from songs.take t left join storage.audio a using (path)
          where a.state is null or a.state = 'leaving' or a.song_id <> t.song_id::text or a.version <> t.version or a.id <> t.object_id
             or a.sha256 <> t.sha256 or a.size_bytes <> t.size_bytes`,
  },
  {
    name: 'songs and storage agree which objects are takes',
    of: 'songs.take',
    sql: `select path, t.take, a.take as named from songs.take t
          full join (select * from storage.audio where state = 'named') a using (path)
          left join ${anySong} s on s.id::text = coalesce(t.song_id::text, a.song_id)
          where t.take is distinct from a.take and (s.id is null or s.uid not in (${behind('storage', 'songs')}))`,
  },
  {
    name: 'every draft is of a song that is there and not closed',
    of: 'storage.draft where song_id is not null',
    sql: `select d.id from storage.draft d left join songs.song s on s.id::text = d.song_id
          where d.song_id is not null and (s.id is null or s.status in ('cancelled', 'declined'))
            and d.uid not in (${behind('storage', 'songs')})`,
  },
  {
    name: 'of a closed account no personal data is left',
    of: 'gateway.closed_account',
    sql: `select c.uid from gateway.closed_account c
          where ${settled('c.uid')} and (
            exists (select from gateway.user_record where uid = c.uid)
            or exists (select from gateway.idempotency_key where uid = c.uid)
            or exists (select from songs.song where uid = c.uid)
            or exists (select from payments.payment p where p.uid = c.uid
                       and (not p.erased or num_nonnulls(p.url, p.receipt_url, p.reject_reason) > 0))
            or exists (select from credits.waiting_song where uid = c.uid and closed_at is null))`,
  },
  {
    name: 'of a closed account no notice, preference or push subscription is left',
    of: 'gateway.closed_account',
    sql: `select c.uid from gateway.closed_account c
          where c.uid not in (${behind('notifier', 'gateway')}) and (
            exists (select from notifier.notice where uid = c.uid)
            or exists (select from notifier.preference where uid = c.uid)
            or exists (select from notifier.push_subscription where uid = c.uid))`,
  },
]
