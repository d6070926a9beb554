import { findProgram } from './installed.ts'
import { answersOk, freePort, type NativeOptions, type NativeServer, startProcess } from './server-process.ts'

/** Prometheus and promtool. Errors: ServerMissing. */
export const findPrometheus = (): void => findProgram('prometheus')

/** Alertmanager and amtool. Errors: ServerMissing. */
export const findAlertmanager = (): void => findProgram('prometheus-alertmanager')

type Options = NativeOptions & { readonly config: string }

/** Starts Prometheus with this configuration file, its data below `dir`. */
export async function startPrometheus(options: Options): Promise<NativeServer> {
  findPrometheus()
  return start('prometheus', options, [`--storage.tsdb.path=${options.dir}/series`])
}

/** Starts one Alertmanager with this configuration file, its data below `dir`. */
export async function startAlertmanager(options: Options): Promise<NativeServer> {
  findAlertmanager()
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
    healthy: () => answersOk(`${url}/-/ready`),
  })
  return { ...server, port: own, url }
}
