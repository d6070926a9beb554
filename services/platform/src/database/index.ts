/** The database: PostgreSQL, one schema and one role a service. */
export * from './port.ts'
export { connectionOptions, numberTypes } from './connection.ts'
export {
  type DatabaseOptions,
  type Emitted,
  type EventWriter,
  postgresDatabase,
  type PostgresDatabase,
} from './database.ts'
export { ensureRole, lockSchemas, migrate, roleOf, roleUrl, type SchemaSpec } from './migrate.ts'
export { coalescedNotify, listen } from './notify.ts'
export { schemaCheck } from './schema-check.ts'
