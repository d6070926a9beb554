import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startPostgres } from '../../../embedded/postgres.ts'

export interface Baseline extends AsyncDisposable {
  readonly url: string
  readonly db: pg.Pool
}

/** Starts the baseline server on a database of its own, as durable as the product's. */
export async function startBaseline(): Promise<Baseline> {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-baseline-'))
  const server = await startPostgres({ dataDir: join(folder, 'postgres') })
  const db = new pg.Pool({ connectionString: server.adminUrl, max: 2 })
  db.on('error', () => undefined)
  await db.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'))
  const child = spawn(process.execPath, [fileURLToPath(new URL('server.ts', import.meta.url))], {
    env: { ...process.env, BASELINE_DATABASE_URL: server.adminUrl, BASELINE_FOLDER: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: line.toString().trim(),
    db,
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit')
      child.kill()
      await gone
      await db.end()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
