/** Schemas and roles: made before services start, by `infra` and tests. No service imports this. */
export { grantLogReading } from './log-role.ts'
export { ensureRole, lockSchemas, migrate, roleOf, roleUrl } from './migrate.ts'
