import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { obtainGrafana, startGrafana } from '../../native/grafana.ts'
import { obtainPrometheus } from '../../native/prometheus.ts'
import type { NativeServer } from '../../native/server-process.ts'
import { whyMissing } from '../../native/test/with-server.ts'
import { productOfFile } from '../../system/api/callers.ts'
import { DASHBOARDS } from '../dashboards.ts'
import { writeDashboards } from '../render.ts'
import { prometheusBeside, useUntilItGrows } from './watched-product.ts'

/** A real Grafana, provisioned as in containers, beside a running product: what its dashboards ask for comes, through it. */

const PROVISIONING = resolve(import.meta.dirname, '../grafana/provisioning')
const PASSWORD = 'only-of-this-test'
const PATIENCE = { timeout: 60_000, interval: 1_000 }

interface Target {
  readonly refId: string
  readonly expr: string
}

interface Panel {
  readonly title: string
  readonly type: string
  readonly targets?: readonly Target[]
}

interface Answer {
  readonly results: Readonly<
    Record<
      string,
      {
        readonly error?: string
        readonly frames?: readonly { readonly data: { readonly values: unknown[][] } }[]
      }
    >
  >
}

const missing =
  (await whyMissing('Grafana', obtainGrafana)) ?? (await whyMissing('Prometheus', obtainPrometheus))

describe.skipIf(missing !== null)('a real Grafana', { timeout: 120_000 }, () => {
  const product = productOfFile()
  let dir = ''
  let prometheus: NativeServer
  let grafana: NativeServer

  const ask = async <T>(path: string, json?: unknown): Promise<T> => {
    const answer = await fetch(`${grafana.url}${path}`, {
      ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
      headers: {
        authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`,
        'content-type': 'application/json',
      },
    })
    return (await answer.json()) as T
  }

  /** Ours, with the places of this machine. */
  const provision = async (): Promise<string> => {
    const provisioning = join(dir, 'provisioning')
    const dashboards = join(dir, 'dashboards')
    await cp(PROVISIONING, provisioning, { recursive: true })
    for (const unused of ['alerting', 'notifiers', 'plugins']) await mkdir(join(provisioning, unused))
    const change = async <T>(file: string, edit: (settings: T) => void): Promise<void> => {
      const settings = parse(await readFile(join(provisioning, file), 'utf8')) as T
      edit(settings)
      await writeFile(join(provisioning, file), stringify(settings))
    }
    await change<{ datasources: [{ url: string }] }>('datasources/prometheus.yml', (settings) => {
      settings.datasources[0].url = prometheus.url
    })
    await change<{ providers: [{ options: { path: string } }] }>('dashboards/prelude.yml', (settings) => {
      settings.providers[0].options.path = dashboards
    })
    await writeDashboards(dashboards)
    return provisioning
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'prelude-grafana-'))
    prometheus = await prometheusBeside(product(), dir)
    const provisioning = await provision()
    grafana = await startGrafana({ dir: join(dir, 'grafana'), provisioning, adminPassword: PASSWORD })
    await useUntilItGrows(product(), prometheus)
  }, 300_000)
  afterAll(async () => {
    await grafana?.stop()
    await prometheus?.stop()
    await rm(dir, { recursive: true, force: true })
  }, 60_000)

  test('has Prometheus as its data source, not to be changed there', async () => {
    const source = { type: 'prometheus', url: prometheus.url, isDefault: true, readOnly: true }
    expect(await ask('/api/datasources/uid/prometheus')).toMatchObject(source)
  })

  test('shows every dashboard in the folder of the product', async () => {
    const found = await ask<{ uid: string; title: string; folderTitle: string }[]>('/api/search?type=dash-db')
    expect(found.map(({ uid, title, folderTitle }) => ({ uid, title, folderTitle }))).toEqual(
      expect.arrayContaining(DASHBOARDS.map(({ uid, title }) => ({ uid, title, folderTitle: 'Prelude' }))),
    )
    expect(found).toHaveLength(DASHBOARDS.length)
  })

  test.for(DASHBOARDS)('$title: every panel is answered with numbers', async ({ uid, rows }) => {
    const { dashboard } = await ask<{ dashboard: { panels: Panel[] } }>(`/api/dashboards/uid/${uid}`)
    const panels = dashboard.panels.filter(({ type }) => type !== 'row')
    const described = rows.flatMap((row) => row.panels.map(({ title }) => title))
    expect(panels.map(({ title }) => title).toSorted()).toEqual(described.toSorted())
    for (const { title, targets = [] } of panels)
      await vi.waitFor(async () => {
        const queries = targets.map((target) => ({ ...target, intervalMs: 15_000, maxDataPoints: 500 }))
        const { results = {} } = await ask<Partial<Answer>>('/api/ds/query', {
          queries,
          from: 'now-15m',
          to: 'now',
        })
        for (const { refId } of targets) {
          const numbers = (results[refId]?.frames ?? []).flatMap(({ data }) => data.values[1] ?? [])
          const seen = results[refId]?.error ?? (numbers.some(Number.isFinite) ? 'numbers' : 'nothing')
          expect(`${title} ${refId}: ${seen}`).toBe(`${title} ${refId}: numbers`)
        }
      }, PATIENCE)
  })
})
