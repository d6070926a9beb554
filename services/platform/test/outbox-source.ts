import { Type } from 'typebox'
import { defineEvent } from '@prelude/contracts'
import { postgresDatabase } from '../src/database/database.ts'
import { migrate, roleUrl } from '../src/database/migrate.ts'
import { testDatabase, testLogger } from '../src/testing/index.ts'

const PASSWORD = 'test-role-password'

export const Counted = defineEvent(
  'prelude.songs',
  'Counted',
  'A test event.',
  Type.Object({ uid: Type.String(), n: Type.Integer() }),
)

/** A schema that emits, on a database of its own. */
export async function outboxSource() {
  const logger = testLogger()
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const migrations = new URL('./tally/', import.meta.url)
  await migrate(adminUrl, { schema: 'source', migrations, withEvents: true }, PASSWORD, logger)
  const url = roleUrl(adminUrl, 'source', PASSWORD)
  const db = postgresDatabase({ url, schema: 'source', logger })
  return {
    db,
    url,
    logger,
    emit: (uid: string, n: number) => db.transaction(async (tx) => tx.emit(Counted, { uid, n })),
    [Symbol.asyncDispose]: async () => {
      await db.close()
      await drop()
    },
  }
}
