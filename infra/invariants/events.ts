import type { Invariant } from '@prelude/platform'

/** What must hold of a service's outbox, inbox and dead letters. */
export const eventInvariants = (schema: string): readonly Invariant[] => [
  {
    name: 'the events of a key are numbered without a hole',
    of: 'outbox',
    sql: `select key, min(seq), max(seq), count(*) from outbox group by key having max(seq) - min(seq) + 1 <> count(*)`,
  },
  {
    name: 'every key knows its last number',
    of: 'outbox_key',
    sql: `select o.key, max(o.seq) as seq, k.last_seq from outbox o left join outbox_key k using (key)
          group by o.key, k.last_seq having max(o.seq) is distinct from k.last_seq`,
  },
  {
    name: 'no event is sent before an earlier one of its key',
    of: 'outbox',
    sql: `select sent.key, sent.seq from outbox_unsent waiting join outbox earlier using (id)
          join outbox sent on sent.topic = earlier.topic and sent.key = earlier.key and sent.seq > earlier.seq
          where not exists (select from outbox_unsent where id = sent.id)`,
  },
  {
    name: 'no key is blocked by an event that the bus refuses',
    of: 'outbox_key',
    sql: `select key, reason from outbox_blocked`,
  },
  { name: 'no key is parked', of: 'inbox', sql: `select topic, key from inbox where parked` },
  {
    name: 'no event waits in dead letters',
    of: 'dead_letter',
    sql: `select topic, seq, error from dead_letter where resolved_at is null`,
  },
  ...(SOURCES[schema] ?? []).map((source) => ({
    name: `no event of ${source} was seen that was never emitted`,
    of: `inbox where topic = 'prelude.${source}'`,
    sql: `select i.key, i.seq, k.last_seq from inbox i left join ${source}.outbox_key k using (key)
          where i.topic = 'prelude.${source}' and i.seq > coalesce(k.last_seq, 0)`,
  })),
]

/** Whose events each service consumes. */
export const SOURCES: Record<string, readonly string[]> = {
  songs: ['gateway', 'credits', 'storage'],
  credits: ['gateway', 'songs', 'payments'],
  payments: ['gateway', 'credits'],
  storage: ['songs'],
  notifier: ['gateway', 'songs', 'credits', 'payments'],
}
