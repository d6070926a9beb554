import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { findPrometheus } from '../servers/prometheus.ts'
import type { NativeServer } from '../servers/server-process.ts'
import { whyMissing } from '../support/with-server.ts'
import { productOfFile } from '../support/callers.ts'
import { DASHBOARDS, panelsOf } from './read-dashboards.ts'
import { prometheusBeside, useUntilItGrows } from './watched-product.ts'

/** A real Prometheus beside a running product: what dashboards ask and alerts look at is there. */

/** Invariants are looked at for the first time when the product has run for ten minutes. */
const LATER = new Set(['prelude_invariant_breaches', 'prelude_cross_invariant_breaches'])

interface Result {
  readonly status: string
  readonly error?: string
  readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] }
}

interface Rule {
  readonly name: string
  readonly query: string
  readonly health: string
  readonly state: string
}

const queries = DASHBOARDS.flatMap((dashboard) =>
  panelsOf(dashboard).flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ name: `${dashboard.title}, ${title}`, expr })),
  ),
)

/** The query with Grafana's variables replaced: any service, for which it then has numbers. */
const asked = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('service="$service"', 'service=~".+"')

const missing = await whyMissing('Prometheus', findPrometheus)

describe.skipIf(missing !== null)('beside a running product', () => {
  const product = productOfFile()
  let dir = ''
  let prometheus: NativeServer

  const ask = async (query: string): Promise<Result> => {
    const url = `${prometheus.url}/api/v1/query?query=${encodeURIComponent(query)}`
    return (await (await fetch(url)).json()) as Result
  }
  const numbers = async (query: string): Promise<string> => {
    const { error, data } = await ask(query)
    const values = data?.result.map(({ value }) => Number(value[1])) ?? []
    return error ?? (values.some((value) => Number.isFinite(value)) ? 'numbers' : 'nothing')
  }

  const has = (query: string): Promise<void> =>
    eventually(async () => expect(`${query}: ${await numbers(query)}`).toBe(`${query}: numbers`))

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'prelude-prometheus-'))
    prometheus = await prometheusBeside(product(), dir)
    await useUntilItGrows(product(), prometheus)
  })
  afterAll(async () => {
    await prometheus.stop()
    await rm(dir, { recursive: true, force: true })
  })

  test('every instance of every service is scraped', async () => {
    const expected = new Set(Object.values(product().endpoints.health)).size
    await eventually(async () => {
      const { data } = await ask('up{job="prelude"} == 1')
      expect(data?.result).toHaveLength(expected)
    })
  })

  test.for(queries)('$name', async ({ expr }) => {
    await has(asked(expr))
  })

  test('alerts look at series that are there, and none fires while all is well', async () => {
    const answer = await fetch(`${prometheus.url}/api/v1/rules`)
    const { data } = (await answer.json()) as { data: { groups: { name: string; rules: Rule[] }[] } }
    // exporters are in containers only
    const all = data.groups.filter(({ name }) => name !== 'servers').flatMap((group) => group.rules)
    const rules = all.filter(({ name }) => name !== 'PreludeWatchdog') // fires always, without any series
    expect(rules.length).toBeGreaterThan(20)
    for (const { name, query, health, state } of rules) {
      expect([name, health, state]).not.toEqual([name, 'ok', 'firing'])
      expect([name, health]).toEqual([name, 'ok'])
      const series = new Set(query.match(/\b(up|(prelude|process|nodejs)_\w+)\b/g))
      expect([name, series.size > 0]).toEqual([name, true])
      for (const one of series) if (!LATER.has(one)) await has(one)
    }
  })
})
