import { join } from 'node:path'
import { type Logger, open } from '@prelude/platform'
import { lockInstance } from '../embedded/instance-lock.ts'
import { keptSecrets } from '../embedded/secrets.ts'
import { startServers } from '../stack/servers.ts'
import { prepareServers } from '../stack/stack.ts'
import { copyKeptFiles, copyUnlessThere } from './kept-files.ts'
import type { Servers } from './move.ts'

/**
 * Prepares the servers of a stack in this folder and runs them, without its services, until `work` ends; secrets and the
 * data of stand-ins come from the data folder `from`. Errors: StartError when the stack runs, ServerMissing.
 */
export async function inStackFolder<T>(
  dir: string,
  { from, logger }: { from: string; logger: Logger },
  work: (target: Servers) => Promise<T>,
): Promise<T> {
  const lock = lockInstance(dir, { name: 'prelude', what: 'The stack' })
  try {
    await copyKeptFiles(from, dir)
    await copyUnlessThere(join(from, 'staging'), join(dir, 'storage-1', 'staging'))
    const secrets = await keptSecrets(dir)
    const servers = await startServers(dir, { secrets, withLinks: false, logger })
    try {
      await prepareServers(servers, secrets, logger)
      const blobs = open.blobs(servers.blobsUrl)
      try {
        return await work({ adminUrl: servers.adminUrl, blobs })
      } finally {
        await blobs.close()
      }
    } finally {
      await Promise.all(Object.values(servers.programs).map((program) => program.stop()))
    }
  } finally {
    lock.release()
  }
}
