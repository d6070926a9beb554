import { ConfigError, numberTypes, readConfig, url } from '@prelude/platform'
import pg from 'pg'
import { readSettings } from './settings.ts'
import { StartError } from './start-error.ts'
import { withDatabase } from './with-database.ts'

const SERVER = {
  adminUrl: {
    env: 'DATABASE_ADMIN_URL',
    means: 'owner of a database elsewhere',
    parse: url,
    fallback: undefined,
  },
}

/** Runs an operator's command on the database and exits: 0 when `work` answers true, else 1 with a sentence on stderr. */
export async function command(work: (adminUrl: string) => Promise<boolean>): Promise<never> {
  try {
    const { dataDir } = readSettings(process.env)
    const { adminUrl } = readConfig(SERVER, process.env)
    const good = await withDatabase({ dataDir, adminUrl }, work)
    process.exit(good ? 0 : 1)
  } catch (error) {
    const expected = error instanceof StartError || error instanceof ConfigError
    process.stderr.write(`${expected ? error.message : String((error as Error).stack)}\n`)
    process.exit(1)
  }
}

export async function withClient<T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: adminUrl,
    types: numberTypes,
    connectionTimeoutMillis: 5_000,
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
