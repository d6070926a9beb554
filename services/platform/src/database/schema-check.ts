import { readdir } from 'node:fs/promises'
import type { Query } from './port.ts'

/** A database schema, its migrations and what its role may do: known without running the service that owns it. */
export interface SchemaSpec {
  readonly schema: string
  /** Folders of `0001-<what>.sql` files, each with a table that names those that ran: by that table's name. */
  readonly migrations: Readonly<Record<string, URL>>
  /** Tables that its role may only read and insert into. */
  readonly appendOnly?: readonly string[]
}

const MIGRATION = /^(\d{4}-.+)\.sql$/

/**
 * A check that rejects until the schema has every migration of this version of the service; it may have newer ones, which an
 * older version serves with. Once it resolved the database is not asked again.
 */
export function schemaCheck(db: Query, { schema, migrations }: SchemaSpec): () => Promise<void> {
  let isMigrated = false
  return async () => {
    if (isMigrated) return
    for (const [table, folder] of Object.entries(migrations)) {
      const { rows } = await db.query<{ name: string }>(`select name from ${table}`)
      const done = new Set(rows.map(({ name }) => name))
      const names = (await readdir(folder)).flatMap((file) => MIGRATION.exec(file)?.[1] ?? [])
      const missing = names.filter((name) => !done.has(name))
      if (missing.length > 0) throw new Error(`schema ${schema} is without ${missing.join(', ')}`)
    }
    isMigrated = true
  }
}
