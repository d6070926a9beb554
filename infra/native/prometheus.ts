import { obtainFromDebian } from './debian.ts'
import { freePort, type NativeOptions, type NativeServer, startProcess } from './server-process.ts'

/** Prometheus and promtool. Errors: ServerMissing. */
export const obtainPrometheus = (): Promise<void> => obtainFromDebian('prometheus')

/** Prometheus with that file of settings, what it keeps below `dir`. */
export async function startPrometheus({
  dir,
  port,
  config,
}: NativeOptions & { readonly config: string }): Promise<NativeServer> {
  await obtainPrometheus()
  const own = port ?? (await freePort())
  const url = `http://127.0.0.1:${own}`
  const server = await startProcess({
    name: 'prometheus',
    dir,
    command: 'prometheus',
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${dir}/series`,
      `--web.listen-address=127.0.0.1:${own}`,
    ],
    healthy: async () => {
      const answer = await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(1_000) })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`it says ${answer.status}`)
    },
    readyWithinMs: 30_000,
  })
  return { ...server, port: own, url }
}
