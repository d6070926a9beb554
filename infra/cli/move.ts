import { createLogger } from '@prelude/platform'
import { join } from 'node:path'
import { lockInstance } from '../embedded/instance-lock.ts'
import { startPostgres } from '../embedded/postgres.ts'
import { keptSecrets } from '../embedded/secrets.ts'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { assertEmptyTopics, readRemoteBus, readRemoteServers } from '../move/remote-servers.ts'
import { blobsOf, hasData } from '../move/folder.ts'
import { move as moveData } from '../move/move.ts'
import { command, say, sayFindings, worksOn } from './command.ts'

/**
 * Everything from the folder of `make start` to servers elsewhere, which are prepared already and named by
 * DATABASE_ADMIN_URL, BLOBS_URL and BUS_URL. Sessions excepted; the source stays as it is.
 */
export const move = command('Copy all data of make start to servers elsewhere', {}, async () => {
  await using closing = new AsyncDisposableStack()
  const { dataDir } = readSettings(process.env)
  if (!hasData(dataDir)) throw new StartError(`There is nothing of make start in ${dataDir}.`)
  const servers = readRemoteServers(process.env)
  if (!servers) throw new StartError('Missing: the servers to move to, DATABASE_ADMIN_URL and BLOBS_URL.')
  worksOn(`${dataDir}, and the database at ${new URL(servers.adminUrl).host}`)
  closing.defer(() => servers.blobs.close())
  const logger = createLogger({ service: 'move', level: 'warn', pretty: process.stdout.isTTY })

  const lock = lockInstance(dataDir, { name: 'prelude', what: 'Prelude' })
  closing.defer(() => lock.release())
  const { databaseRoles } = await keptSecrets(dataDir)
  const database = await startPostgres({ dataDir: join(dataDir, 'postgres') })
  closing.defer(() => database.stop())
  await assertEmptyTopics(process.env, logger)
  const source = { adminUrl: database.adminUrl, blobs: blobsOf(dataDir) }
  const target = { password: databaseRoles, bus: readRemoteBus(process.env), logger }
  const moved = await moveData(source, servers, target)
  const { rows, objects, eventsToSend } = moved
  say(`${rows} rows and ${objects} objects copied and compared; ${eventsToSend} events will be forwarded.`)
  say(`People sign in again. Do not start the old one any more: ${dataDir} is now a copy.`)
  return sayFindings(moved)
})
