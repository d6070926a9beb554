import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { parse, stringify } from 'yaml'
import { eventually } from '@prelude/platform/eventually'
import { startPrometheus } from '../servers/prometheus.ts'
import type { NativeServer } from '../servers/server-process.ts'
import { useEverything } from '../system/api/use-everything.ts'
import type { ProductProcess } from '../support/product-process.ts'

const SETTINGS = resolve(import.meta.dirname, '../../observability/prometheus')

/** A real Prometheus that looks into this product's folder, as one for a machine, but quicker. Its things are below `dir`. */
export async function prometheusBeside(product: ProductProcess, dir: string): Promise<NativeServer> {
  const settings = parse(await readFile(join(SETTINGS, 'machine.yml'), 'utf8')) as {
    scrape_configs: [{ file_sd_configs: [{ files: string[] }] }]
  }
  settings.scrape_configs[0].file_sd_configs[0].files = [join(product.dataDir, 'prometheus.json')]
  const config = join(dir, 'prometheus.yml')
  const quicker = { scrape_interval: '1s', evaluation_interval: '1s' }
  const rules = { rule_files: [join(SETTINGS, 'alerts.yml')] }
  await writeFile(config, stringify({ ...settings, global: quicker, ...rules }))
  return startPrometheus({ dir: join(dir, 'server'), config })
}

/** All of the product is used, and again once Prometheus has seen it: what is counted from the first time on must be seen to grow. */
export async function useUntilItGrows(product: ProductProcess, prometheus: NativeServer): Promise<void> {
  await useEverything(product)
  await eventually(async () => {
    const answer = await fetch(`${prometheus.url}/api/v1/query?query=prelude_mails_total`)
    const { data } = (await answer.json()) as { data: { result: unknown[] } }
    expect(data.result).not.toEqual([])
  })
  await useEverything(product)
}
