import { type PostgresOptions, startPostgres } from '../../embedded/postgres.ts'
import { type NativeOptions, type NativeServer, sendSignal } from './server-process.ts'

/** Starts the PostgreSQL from npm, with the interface of the other servers. Errors: StartError. */
export async function startPostgresServer({
  dir,
  port,
  ...options
}: NativeOptions & Pick<PostgresOptions, 'durable' | 'logger'>): Promise<NativeServer> {
  const server = await startPostgres({ dataDir: dir, port, ...options })
  const signal = (name: NodeJS.Signals): void => sendSignal(server.pid, name)
  return {
    url: server.adminUrl,
    port: server.port,
    dir,
    pid: server.pid,
    ended: server.exited,
    stop: server.stop,
    kill: async () => {
      signal('SIGKILL')
      await server.exited
    },
    // stops the postmaster alone, its backends go on; a link in front can freeze all of it
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  }
}
