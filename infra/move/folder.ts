import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Logger } from '@prelude/platform'
import { lockInstance } from '../embedded/instance-lock.ts'
import { startPostgres } from '../embedded/postgres.ts'
import { keptSecrets } from '../embedded/secrets.ts'
import { StartError } from '../embedded/start-error.ts'
import { SERVICE_SCHEMAS } from '../prepare/schemas.ts'
import { copyKeptFiles } from './kept-files.ts'
import type { Servers } from './move.ts'
import { openBlobs } from '@prelude/storage'
import { migrate } from '@prelude/platform/migrate'
import { KV_SCHEMA } from '@prelude/gateway'

export const hasData = (dataDir: string): boolean => existsSync(join(dataDir, 'postgres', 'cluster'))

export const blobsOf = (dataDir: string): Servers['blobs'] =>
  openBlobs(pathToFileURL(join(dataDir, 'blobs')).href)

/** Errors: StartError. */
export function assertNoData(dataDir: string): void {
  if (hasData(dataDir)) throw new StartError(`${dataDir} holds data already; nothing was copied.`)
}

/** A data folder with an empty database of this version, running for the while of `work`. Errors: StartError when it holds one. */
export async function inNewFolder<T>(
  dataDir: string,
  { secretsFrom, logger }: { secretsFrom: string | null; logger: Logger },
  work: (target: Servers) => Promise<T>,
): Promise<T> {
  assertNoData(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  if (secretsFrom !== null) await copyKeptFiles(secretsFrom, dataDir)
  const lock = lockInstance(dataDir, { name: 'prelude', what: 'Prelude' })
  try {
    const { databaseRoles } = await keptSecrets(dataDir)
    const database = await startPostgres({ dataDir: join(dataDir, 'postgres') })
    try {
      for (const spec of [...SERVICE_SCHEMAS, KV_SCHEMA])
        await migrate(database.adminUrl, spec, databaseRoles, logger)
      return await work({ adminUrl: database.adminUrl, blobs: blobsOf(dataDir) })
    } finally {
      await database.stop()
    }
  } finally {
    lock.release()
  }
}
