import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from '../calls.ts'
import type { Scene } from '../scene.ts'

/** The Prometheus of docker-compose.yml with short waits and windows in the rules, whose conditions stay. */
export async function startPrometheus({ folder, compose }: Scene): Promise<void> {
  const change = async (name: string, by: (text: string) => string): Promise<void> => {
    const file = join(folder, 'infra/observability/prometheus', name)
    const text = await readFile(file, 'utf8')
    must(by(text) !== text, `${name} has nothing to change`)
    await writeFile(file, by(text))
  }
  await change('alerts.yml', (text) =>
    text
      .replace(/for: \d+m/g, 'for: 5s')
      .replace(/(changes\(.*)\[15m\]/, '$1[2m]') // three starts take a minute
      .replace(/\[5m\]/g, '[30s]')
      .replace(/\[15m\]|\[30m\]|\[1h\]/g, '[60s]')
      .replace(/\[6h\]|\[1d\]|\[3d\]|\[7d\]/g, '[90s]'),
  )
  // without the exporters; a service whose servers are down takes up to 4 s to answer a scrape
  await change('compose.yml', (text) =>
    text.replace(/^ {2}- job_name: prelude-[^]*/m, '').replace(/15s/g, '5s'),
  )
  await compose('--profile', 'observability', 'up', '--detach', '--wait', 'prometheus')
}

async function get<T>({ compose }: Scene, path: string): Promise<T> {
  const url = `http://127.0.0.1:9090/api/v1/${path}`
  const answer = await compose('exec', '-T', 'prometheus', 'wget', '-qO-', url)
  return (JSON.parse(answer) as { data: T }).data
}

interface Firing {
  readonly state: string
  readonly labels: { readonly alertname: string; readonly severity: string }
}

/** The names of the firing alerts, without the one that always fires to show that alerts arrive. */
export async function firing(scene: Scene): Promise<string[]> {
  const { alerts } = await get<{ alerts: Firing[] }>(scene, 'alerts')
  const names = alerts
    .filter(({ state, labels }) => state === 'firing' && labels.severity !== 'none')
    .map(({ labels }) => labels.alertname)
  return [...new Set(names)]
}

/** How many instances are scraped: a counter that is raised before its first scrape shows no increase. */
export async function scraped(scene: Scene): Promise<number> {
  const { result } = await get<{ result: { value: [number, string] }[] }>(scene, 'query?query=count(up==1)')
  return Number(result[0]?.value[1] ?? 0)
}
