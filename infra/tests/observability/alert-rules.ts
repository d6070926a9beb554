import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

const FILE = resolve(import.meta.dirname, '../../observability/prometheus/alerts.yml')
const { groups } = parse(readFileSync(FILE, 'utf8')) as { groups: { rules: Rule[] }[] }

/** Every rule of alerts.yml. */
export const ALERT_RULES: readonly Rule[] = groups.flatMap((group) => group.rules)
