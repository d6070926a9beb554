import { EVENTS, ownerOf, SERVICE_NAMES } from '@prelude/contracts'
import type { Invariant } from '@prelude/platform'

const sourcesOf = (consumer: string): readonly string[] =>
  SERVICE_NAMES.filter((source) =>
    EVENTS.some((event) => ownerOf(event.topic) === source && event.for.some((name) => name === consumer)),
  )

/** Whose events each service consumes; only services that consume some. */
export const SOURCES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  SERVICE_NAMES.map((name) => [name, sourcesOf(name)] as const).filter(([, sources]) => sources.length > 0),
)

/** The partition of an event's key, as the forwarder computes it. */
const partition = (partitions: string): string => `crc32(convert_to(e.key, 'UTF8')) % ${partitions}`

const cursorOf = (consumer: string, source: string): string =>
  `left join ${consumer}.cursor c on c.topic = 'prelude.${source}' and c.partition = ${partition('c.partitions')}`

/** Events of `source` that `consumer` has yet to handle. */
export const unhandled = (consumer: string, source: string): string =>
  `select e.* from ${source}.event e ${cursorOf(consumer, source)} where e.position > coalesce(c.position, 0)`

/** Events of `source` up to the cursors of `consumer`. */
export const passed = (consumer: string, source: string): string =>
  `select e.* from ${source}.event e ${cursorOf(consumer, source)} where e.position <= coalesce(c.position, 0)`

/** What must hold between the event logs and the cursors of one service; names tables with their schema. */
export const logInvariants = (schema: string): readonly Invariant[] =>
  // `taken` counts from the beginning of the log, what was removed since too
  [...(SOURCES[schema] ?? []), schema].flatMap((source): Invariant[] => [
    {
      name: `the cursors of ${schema} for ${source} have taken each event up to them once`,
      of: `${schema}.cursor where topic = 'prelude.${source}'`,
      sql: `select taken, passed, removed from
              (select sum(taken) as taken from ${schema}.cursor where topic = 'prelude.${source}') t,
              (select count(*) as passed from (${passed(schema, source)}) e) p,
              ${source}.event_removal
            where taken <> passed + removed`,
    },
    {
      name: `no cursor of ${schema} is beyond the log of ${source}`,
      of: `${schema}.cursor where topic = 'prelude.${source}'`,
      sql: `select c.partition, c.position from ${schema}.cursor c
            where c.topic = 'prelude.${source}' and c.position > (select last_value from ${source}.event_position_seq)`,
    },
  ])

/** What must hold of a service's event log, cursors and dead letters; with its schema on the search path. */
export const eventInvariants = (schema: string): readonly Invariant[] => [
  ...logInvariants(schema),
  {
    name: 'no key is parked',
    of: 'parked_key',
    sql: `select topic, key from parked_key ${exceptPassing('parked_key')}`,
  },
  {
    name: 'no event waits in dead letters',
    of: 'dead_letter',
    sql: `select topic, position, error from dead_letter letter ${exceptPassing('letter')} and resolved_at is null`,
  },
  {
    name: 'a key is parked if and only if it has an open dead letter',
    of: 'dead_letter',
    sql: `select coalesce(p.key, d.key) from parked_key p
          full join (select distinct topic, key from dead_letter where resolved_at is null) d using (topic, key)
          where p.key is null or d.key is null`,
  },
]

/** A key whose replay was requested flows again in a moment; one that waits for an update, after it, within an hour. */
function exceptPassing(table: string): string {
  return `where not exists (select from dead_letter d
    where d.topic = ${table}.topic and d.key = ${table}.key and d.resolved_at is null
      and (d.replay_requested_at is not null or d.unknown_version is not null and d.at > now() - interval '1 hour'))`
}
