import { readdir } from 'node:fs/promises'
import type { SchemaSpec } from './migrate.ts'
import type { Query } from './port.ts'

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
