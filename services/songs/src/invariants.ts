import type { Invariant } from '@prelude/platform'

/**
 * Each query runs with this service's schema on the search path and answers the rows that break its rule. The table's checks
 * guard single rows as they are written; these also cover several rows, time, and rows older than a check.
 */
export const songsInvariants: readonly Invariant[] = [
  {
    name: 'a ready song has both versions and a time of fulfilment, a pending one has neither',
    of: 'song',
    sql: `select id, status from song
          where (status = 'ready') <> (storage_path1 is not null and storage_path2 is not null and updated_at is not null)
             or (status = 'pending' and (storage_path1 is not null or storage_path2 is not null or updated_at is not null))`,
  },
  {
    name: 'no song was handed out unpaid unless as a gift',
    of: 'song',
    sql: `select id, charge from song where status = 'ready' and charge in ('deciding', 'declined')`,
  },
  {
    name: 'a revision starts at 1',
    of: 'song',
    sql: `select id, revision from song where revision < 1`,
  },
  {
    name: 'credits has answered every request within an hour',
    of: 'song',
    sql: `select id, created_at from song
          where charge = 'deciding' and created_at < (extract(epoch from now()) * 1000)::bigint - 3600000`,
  },
  {
    name: 'only a charged, pending song is held for a refund',
    of: 'song',
    sql: `select id, status, charge from song where refund_held and (status <> 'pending' or charge <> 'charged')`,
  },
  {
    name: 'an object belongs to one version of one song',
    of: 'song',
    sql: `select path, count(*) from (
            select storage_path1 as path from song union all select storage_path2 from song
          ) named where path is not null group by path having count(*) > 1`,
  },
]
