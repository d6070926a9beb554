import { SERVICE_NAMES } from '@prelude/contracts'
import { withOwnerConnection } from '@prelude/platform'
import { ensureRole, lockSchemas, roleOf } from '@prelude/platform/migrate'

/** The role of the check across services (infra/invariants) and of backups; other roles have the name of their schema. */
export const AUDIT_SCHEMA = 'audit'

/** Lets the role read all tables of all services, and write only when it checked and copied them. Runs after their schemas are migrated. */
export const grantAuditing = (adminUrl: string, password: string): Promise<void> =>
  withOwnerConnection(adminUrl, async (client) => {
    await lockSchemas(client)
    const role = roleOf(AUDIT_SCHEMA)
    await ensureRole(client, role, password)
    for (const schema of SERVICE_NAMES) {
      await client.query(`grant usage on schema ${schema} to ${role}`)
      await client.query(`grant select on all tables in schema ${schema} to ${role}`)
      await client.query(`grant select on all sequences in schema ${schema} to ${role}`)
    }
    await client.query(`grant insert, update, delete on notifier.cross_check to ${role}`)
    await client.query(`grant insert, update on notifier.backup to ${role}`)
  })
