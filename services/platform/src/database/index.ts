/** The database: PostgreSQL, one schema and one role a service. */
export * from './port.ts'
export {
  connect,
  connectAsOwner,
  connectionOptions,
  numberTypes,
  queryOn,
  withOwnerConnection,
} from './connection.ts'
export {
  type Appended,
  type DatabaseOptions,
  type Emitted,
  type EventWriter,
  POOL_SIZE,
  postgresDatabase,
  type PostgresDatabase,
} from './database.ts'
export { deleteInSteps, inSteps } from './in-steps.ts'
export { isTimeout } from './errors.ts'
export { FOLDED } from './folded.ts'
export { isPersonFound } from './person-phrase.ts'
export { poolMeasures } from './measures.ts'
export { coalescedNotify, listen } from './notify.ts'
export { schemaCheck, type SchemaSpec } from './schema-check.ts'
