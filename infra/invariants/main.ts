import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockInstance } from '../embedded/instance-lock.ts'
import { startPostgres } from '../embedded/postgres.ts'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { checkInvariants } from './check.ts'

/**
 * `make check-invariants`: money and event invariants over all schemas, on the running product or, when it is stopped,
 * on its data. Prints each with the number of breaches; exit code 1 when there is any.
 */

const { dataDir } = readSettings(process.env)
const postgresDir = join(dataDir, 'postgres')

try {
  process.exit((await check()) ? 0 : 1)
} catch (error) {
  process.stderr.write(`${error instanceof StartError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}

async function check(): Promise<boolean> {
  const given = process.env['DATABASE_ADMIN_URL']
  if (given !== undefined && given !== '') return report(given)
  const running = await runningAddress()
  if (running !== null) return report(running)
  const lock = lockInstance(dataDir, { name: 'prelude', what: 'Prelude' })
  const server = await startPostgres({ dataDir: postgresDir })
  try {
    return await report(server.adminUrl)
  } finally {
    await server.stop()
    lock.release()
  }
}

/** The database of a product that runs on this data folder, or null. */
async function runningAddress(): Promise<string | null> {
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

async function report(adminUrl: string): Promise<boolean> {
  const results = await checkInvariants(adminUrl)
  for (const { name, breaches, sample } of results) {
    process.stdout.write(`${breaches === 0 ? 'ok    ' : 'BREACH'} ${name}${breaches === 0 ? '' : `: ${breaches}`}\n`)
    if (breaches > 0) process.stdout.write(`       e.g. ${JSON.stringify(sample)}\n`)
  }
  const broken = results.filter(({ breaches }) => breaches > 0).length
  process.stdout.write(`${results.length} invariants checked, ${broken} broken\n`)
  return broken === 0
}
