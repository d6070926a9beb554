import { type ServiceName, topicOf } from '@prelude/contracts'
import { inSteps, type Query, type SchemaSpec } from '../database/index.ts'

const EVENT_MIGRATIONS = new URL('./migrations/', import.meta.url)

/** Where a service keeps its data: known without running it, for the step that makes it. */
export interface ServiceSchema {
  /** Also its schema's name. */
  readonly name: ServiceName
  /** Folder of `0001-<what>.sql` files. */
  readonly migrations: URL
  /** Tables that its role may only read and insert into. */
  readonly appendOnly?: readonly string[]
}

/** What every service has for its events. */
export const eventSchemaOf = (name: ServiceName): SchemaSpec => ({
  schema: name,
  migrations: { event_migration: EVENT_MIGRATIONS },
  appendOnly: ['event'],
})

/** The same and a service's own tables. */
export const schemaOf = ({ name, migrations, appendOnly = [] }: ServiceSchema): SchemaSpec => {
  const events = eventSchemaOf(name)
  return {
    schema: name,
    migrations: { ...events.migrations, migration: migrations },
    appendOnly: [...(events.appendOnly ?? []), ...appendOnly],
  }
}

/** Removes events of the service's log that are older than 14 days, by the database's own time: the service may not delete others. */
export const removeOldEvents = (db: Query, service: ServiceName) => ({
  name: 'remove-old-events',
  everyMs: 3_600_000,
  run: (signal: AbortSignal): Promise<void> =>
    inSteps(async (most) => {
      const sql = 'select remove_old_events($1, $2) as removed'
      const { rows } = await db.query<{ removed: number }>(sql, [topicOf(service), most])
      return rows[0]?.removed ?? 0
    }, signal),
})
