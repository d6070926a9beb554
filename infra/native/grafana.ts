import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ServerMissing } from './server-missing.ts'
import { freePort, type NativeOptions, type NativeServer, startProcess } from './server-process.ts'

/** Grafana is in no package registry: `GRAFANA_HOME` names the folder of an installed one, with its `bin` and `conf`. */
export async function obtainGrafana(): Promise<string> {
  const home = process.env['GRAFANA_HOME']
  if (home === undefined || !existsSync(join(home, 'bin/grafana')))
    throw new ServerMissing('GRAFANA_HOME is not the folder of a Grafana')
  return home
}

interface Options extends NativeOptions {
  /** A folder as `grafana/provisioning`. */
  readonly provisioning: string
  readonly adminPassword: string
}

/** Starts Grafana with these data sources and dashboards, its data below `dir`, without calls to the outside. Errors: ServerMissing. */
export async function startGrafana({
  dir,
  port,
  provisioning,
  adminPassword,
}: Options): Promise<NativeServer> {
  const home = await obtainGrafana()
  const own = port ?? (await freePort())
  const url = `http://127.0.0.1:${own}`
  const server = await startProcess({
    name: 'grafana',
    dir,
    command: join(home, 'bin/grafana'),
    args: ['server', '--homepath', home],
    env: {
      GF_SERVER_HTTP_ADDR: '127.0.0.1',
      GF_SERVER_HTTP_PORT: String(own),
      GF_PATHS_DATA: join(dir, 'data'),
      GF_PATHS_LOGS: join(dir, 'logs'),
      GF_PATHS_PLUGINS: join(dir, 'plugins'),
      GF_PATHS_PROVISIONING: provisioning,
      GF_SECURITY_ADMIN_PASSWORD: adminPassword,
      GF_ANALYTICS_REPORTING_ENABLED: 'false',
      GF_ANALYTICS_CHECK_FOR_UPDATES: 'false',
      GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: 'false',
      GF_PLUGINS_PREINSTALL_DISABLED: 'true',
      GF_PLUGINS_PUBLIC_KEY_RETRIEVAL_DISABLED: 'true',
      GF_SECURITY_DISABLE_GRAVATAR: 'true',
      GF_NEWS_NEWS_FEED_ENABLED: 'false',
    },
    healthy: async () => {
      const answer = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(1_000) })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`it answers ${answer.status}`)
    },
    readyWithinMs: 120_000,
  })
  return { ...server, port: own, url }
}
