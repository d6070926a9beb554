import { createLogger } from '@prelude/platform'
import { join } from 'node:path'
import { lockInstance } from '../embedded/instance-lock.ts'
import { startPostgres } from '../embedded/postgres.ts'
import { keptSecrets } from '../embedded/secrets.ts'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { readStackSettings } from '../stack/settings.ts'
import { assertEmptyTopics, readRemoteBus, readRemoteServers } from '../move/remote-servers.ts'
import { blobsOf, hasData } from '../move/folder.ts'
import { move, type Moved, type Servers } from '../move/move.ts'
import { inStackFolder } from '../move/stack-folder.ts'
import { command, say } from './command.ts'

/**
 * Everything from the folder of `make start` to the one of `make stack`, or to servers elsewhere that are prepared already,
 * named by DATABASE_ADMIN_URL and BLOBS_URL. Sessions excepted; the source stays as it is.
 */
export const migrateToStack = command(
  'Copy all data of make start to make stack, or to servers elsewhere',
  {},
  async () => {
    await using closing = new AsyncDisposableStack()
    const { dir } = readStackSettings(process.env)
    const { dataDir } = readSettings(process.env)
    if (!hasData(dataDir)) throw new StartError(`There is nothing of make start in ${dataDir}.`)
    const logger = createLogger({ service: 'migrate', level: 'warn', pretty: process.stdout.isTTY })

    const lock = lockInstance(dataDir, { name: 'prelude', what: 'Prelude' })
    closing.defer(() => lock.release())
    const { databaseRoles } = await keptSecrets(dataDir)
    const database = await startPostgres({ dataDir: join(dataDir, 'postgres') })
    closing.defer(() => database.stop())
    const source: Servers = { adminUrl: database.adminUrl, blobs: blobsOf(dataDir) }
    const servers = readRemoteServers(process.env)
    const fill = (target: Servers): Promise<Moved> =>
      move(source, target, {
        password: databaseRoles,
        bus: servers ? readRemoteBus(process.env) : 'broker',
        logger,
      })
    if (servers) {
      closing.defer(() => servers.blobs.close())
      await assertEmptyTopics(process.env, logger)
    }
    const { rows, objects, eventsToSend } = servers
      ? await fill(servers)
      : await inStackFolder(dir, { from: dataDir, logger }, fill)
    say(`${rows} rows and ${objects} objects copied and compared; ${eventsToSend} events will be forwarded.`)
    say(`People sign in again. Do not start the old one any more: ${dataDir} is now a copy.`)
    return true
  },
)
