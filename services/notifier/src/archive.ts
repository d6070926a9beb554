import type { Database } from '@prelude/platform'

/**
 * WAL segments that are not archived yet. They are archived in order, so they begin after the last archived segment, or at the
 * one that failed since then. Their names are hexadecimal.
 */
const UNARCHIVED = `
  with archiver as (
    select coalesce(last_failed_time > last_archived_time, last_archived_time is null) as failed,
           last_archived_wal, last_failed_wal
    from pg_stat_archiver where current_setting('archive_mode') <> 'off'
  ), segment as (
    select ('x' || substr(name, 9, 8))::bit(32)::bigint as log,
           ('x' || substr(name, 17, 8))::bit(32)::bigint + case when failed then 0 else 1 end as number
    from archiver, lateral (select case when failed then last_failed_wal else last_archived_wal end as name) named
    where name ~ '^[0-9A-F]{24}'
  )
  select greatest(0, (pg_current_wal_lsn() - '0/0') - log * 4294967296
                     - number * pg_size_bytes(current_setting('wal_segment_size')))::float8 as bytes
  from segment`

/** How many bytes of the database server's WAL are not archived yet; 0 where it archives none. */
export async function unarchivedBytes(db: Database): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(UNARCHIVED)
  return rows[0]?.bytes ?? 0
}
