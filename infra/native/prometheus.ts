import { obtainFromDebian } from './debian.ts'
import { freePort, type NativeOptions, type NativeServer, startProcess } from './server-process.ts'

/** Installs Prometheus and promtool. Errors: ServerMissing. */
export const obtainPrometheus = (): Promise<void> => obtainFromDebian('prometheus')

/** Installs Alertmanager and amtool. Errors: ServerMissing. */
export const obtainAlertmanager = (): Promise<void> => obtainFromDebian('prometheus-alertmanager')

type Options = NativeOptions & { readonly config: string }

/** Starts Prometheus with this configuration file, its data below `dir`. */
export async function startPrometheus(options: Options): Promise<NativeServer> {
  await obtainPrometheus()
  return start('prometheus', options, [`--storage.tsdb.path=${options.dir}/series`])
}

/** Starts one Alertmanager with this configuration file, its data below `dir`. */
export async function startAlertmanager(options: Options): Promise<NativeServer> {
  await obtainAlertmanager()
  const own = [`--storage.path=${options.dir}/kept`, '--cluster.listen-address=']
  return start('prometheus-alertmanager', options, own)
}

async function start(
  name: string,
  { dir, port, config }: Options,
  args: readonly string[],
): Promise<NativeServer> {
  const own = port ?? (await freePort())
  const url = `http://127.0.0.1:${own}`
  const server = await startProcess({
    name,
    dir,
    command: name,
    args: [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${own}`, ...args],
    healthy: async () => {
      const answer = await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(1_000) })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`it answers ${answer.status}`)
    },
  })
  return { ...server, port: own, url }
}
