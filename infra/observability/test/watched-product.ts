import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse, stringify } from 'yaml'
import { startPrometheus } from '../../native/prometheus.ts'
import type { NativeServer } from '../../native/server-process.ts'
import type { ProductProcess } from '../../system/product-process.ts'

const SETTINGS = resolve(import.meta.dirname, '../prometheus')

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
