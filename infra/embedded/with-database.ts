import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockInstance } from './instance-lock.ts'
import { startPostgres } from './postgres.ts'
import { StartError } from './start-error.ts'

/**
 * Runs `work` on the database of a data folder as its owner: the database of the running product, or one started for the
 * duration of `work`. `DATABASE_ADMIN_URL` names another server. `worksOn` gets which it is, for people. Errors: StartError.
 */
export async function withDatabase<T>(
  at: { dataDir: string; adminUrl: string | undefined; worksOn?: (what: string) => void },
  work: (adminUrl: string) => Promise<T>,
): Promise<T> {
  const { adminUrl, worksOn = () => {} } = at
  if (adminUrl !== undefined) {
    worksOn(`the database at ${new URL(adminUrl).host}`)
    return work(adminUrl)
  }
  const postgresDir = join(at.dataDir, 'postgres')
  const running = await runningAddress(at.dataDir, postgresDir)
  if (running !== null) {
    worksOn(`${at.dataDir}, running`)
    return work(running)
  }
  if (!existsSync(postgresDir)) throw new StartError(`There is no data in ${at.dataDir}.`)
  worksOn(`${at.dataDir}, stopped`)
  const lock = lockInstance(at.dataDir, { name: 'prelude', what: 'Prelude' })
  const server = await startPostgres({ dataDir: postgresDir })
  try {
    return await work(server.adminUrl)
  } finally {
    await server.stop()
    lock.release()
  }
}

async function runningAddress(dataDir: string, postgresDir: string): Promise<string | null> {
  try {
    const { pid } = JSON.parse(await readFile(join(dataDir, 'endpoints.json'), 'utf8')) as { pid: number }
    process.kill(pid, 0)
    const password = (await readFile(join(postgresDir, 'password'), 'utf8')).trim()
    const port = (await readFile(join(postgresDir, 'port'), 'utf8')).trim()
    return `postgres://postgres:${password}@127.0.0.1:${port}/prelude`
  } catch {
    return null
  }
}
