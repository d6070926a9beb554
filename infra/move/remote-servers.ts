import { TOPICS } from '@prelude/contracts'
import { busUrl, type Logger, optional, readConfig, setting, url } from '@prelude/platform'
import { StartError } from '../embedded/start-error.ts'
import type { Servers } from './move.ts'
import { countMessages } from '../prepare/topics.ts'
import type { Bus } from './set-cursors.ts'
import { openBlobs } from '@prelude/storage'

const settings = {
  adminUrl: optional('DATABASE_ADMIN_URL', 'owner of the database there', url),
  blobsUrl: optional('BLOBS_URL', 'the object store there', url),
}

/** Servers that are no data folder's, when both of their addresses are given. */
export function readRemoteServers(env: NodeJS.ProcessEnv): Servers | null {
  const { adminUrl, blobsUrl } = readConfig(settings, env)
  return adminUrl === null || blobsUrl === null ? null : { adminUrl, blobs: openBlobs(blobsUrl) }
}

const readers = {
  ...settings,
  auditUrl: optional('AUDIT_DATABASE_URL', 'the same as the role that may read all tables', url),
}

/** As `readRemoteServers`, to read from: the role of the check across services is enough. */
export function readServersToCopy(env: NodeJS.ProcessEnv): Servers | null {
  const { adminUrl, auditUrl, blobsUrl } = readConfig(readers, env)
  const url = adminUrl ?? auditUrl
  return url === null || blobsUrl === null ? null : { adminUrl: url, blobs: openBlobs(blobsUrl) }
}

const BUS = { busUrl: setting('BUS_URL', 'where events go there', busUrl) }

/** What consumers there read. Errors: ConfigError. */
export const readRemoteBus = (env: NodeJS.ProcessEnv): Bus =>
  /^kafkas?:/.test(readConfig(BUS, env).busUrl) ? 'broker' : 'log'

/**
 * The positions of a restored database go on from where the backup was. Messages that topics still hold are of another
 * time: consumers would handle those above their cursors, and drop new events with the same positions. Errors: StartError,
 * ConfigError.
 */
export async function assertEmptyTopics(env: NodeJS.ProcessEnv, logger: Logger): Promise<void> {
  if (readRemoteBus(env) === 'log') return
  const messages = await countMessages(readConfig(BUS, env).busUrl, TOPICS, logger)
  if (messages > 0)
    throw new StartError(
      `The topics there hold ${messages} events of another time. Delete the topics and run prepare.`,
    )
}
