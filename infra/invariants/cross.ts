import type { Invariant } from './check.ts'
import { SOURCES } from './events.ts'

/** People whose events are still under way between two services that keep money or songs; they agree a moment later. */
const underWay = ['songs', 'credits', 'payments']
  .flatMap((consumer) =>
    (SOURCES[consumer] ?? []).map(
      (source) => `select k.key from ${source}.outbox_key k
        left join ${consumer}.inbox i on i.key = k.key and i.topic = 'prelude.${source}'
        where k.last_seq > coalesce(i.seq, 0)`,
    ),
  )
  .join(' union ')

/** What the ledger did for each song: +1 charged and not given back, 0 given back. */
const ledgerSong = `select j.reference as song_id, sum(sign(e.amount_cents)) as charged
  from credits.journal j join credits.entry e on e.journal_id = j.id where e.account = 'sales' group by j.reference`

const settled = (uid: string): string => `${uid} not in (${underWay})`

/** Where two services keep the same fact, they agree. */
export const crossInvariants: readonly Invariant[] = [
  {
    name: 'songs and ledger agree which songs are charged',
    sql: `select s.id, s.charge, l.charged from songs.song s
          full join (${ledgerSong}) l on l.song_id = s.id::text
          where (s.id is null or ${settled('s.uid')})
            and (s.id is null or (s.charge = 'charged') <> (coalesce(l.charged, 0) = 1))`,
  },
  {
    name: 'a refunded song was charged and given back',
    sql: `select s.id from songs.song s left join (${ledgerSong}) l on l.song_id = s.id::text
          where s.charge = 'refunded' and l.charged is distinct from 0 and ${settled('s.uid')}`,
  },
  {
    name: 'songs and ledger agree which songs wait for credits',
    sql: `select s.id, s.charge, w.song_id from songs.song s
          full join (select * from credits.waiting_song where closed_at is null) w on w.song_id = s.id::text
          where (s.id is null or ${settled('s.uid')})
            and (s.id is null or (s.charge = 'declined') <> (w.song_id is not null))`,
  },
  {
    name: 'every request was answered by the ledger',
    sql: `select s.id from songs.song s where s.charge = 'deciding' and ${settled('s.uid')}`,
  },
  {
    name: 'payments and ledger agree what each payment added',
    sql: `select p.id, p.credits_cents, l.cents from payments.payment p
          full join (select j.reference, sum(e.amount_cents) as cents
                     from credits.journal j join credits.entry e on e.journal_id = j.id
                     where starts_with(e.account, 'person:') and e.reason in ('top_up', 'transfer') group by j.reference) l
            on l.reference = p.id::text
          where (p.id is null or ${settled('p.uid')})
            and (p.id is null or (case when p.succeeded then p.credits_cents else 0 end) <> coalesce(l.cents, 0))`,
  },
  {
    name: 'every ready song has its two objects on record',
    sql: `select s.id from songs.song s
          where s.status = 'ready' and (select count(*) from storage.audio a where a.path in (s.storage_path1, s.storage_path2)) <> 2`,
  },
]
