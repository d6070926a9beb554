import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import type { Logger } from '@prelude/platform'
import { type PostgresServer, startPostgres } from './postgres.ts'

/** Supervises PostgreSQL while the product runs: a server that exits is started again, at the same addresses. */
export async function keepPostgres(
  dataDir: string,
  logger: Logger,
): Promise<{ adminUrl: string; localUrl: string; stop(): Promise<void> }> {
  const folder = join(dataDir, 'postgres')
  let server: PostgresServer = await startPostgres({ dataDir: folder, logger })
  const stopping = new AbortController()
  const { adminUrl, localUrl, port } = server
  const again = { dataDir: folder, port, socket: localUrl !== adminUrl, logger }

  const watching = (async () => {
    for (;;) {
      await server.exited
      if (stopping.signal.aborted) return
      logger.error('the database has exited, starting it again')
      while (!stopping.signal.aborted) {
        const started = await startPostgres(again).catch((error: Error) => error)
        if (!(started instanceof Error)) {
          server = started
          if (stopping.signal.aborted) return
          break
        }
        logger.error({ err: started }, 'the database does not start')
        await Promise.race([delay(1_000), once(stopping.signal, 'abort')])
      }
    }
  })()

  return {
    adminUrl,
    localUrl,
    stop: async () => {
      stopping.abort()
      await server.stop()
      await watching
      await server.stop() // one that was being started meanwhile
    },
  }
}
