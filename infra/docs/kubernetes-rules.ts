import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'

/**
 * Renders the alert rules as an object of the Prometheus operator; `npm run docs` writes it, and a test fails when it is out
 * of date.
 */

export const KUBERNETES_RULES = new URL('../k8s/monitoring/rules.yaml', import.meta.url)
const ALERTS = new URL('../observability/prometheus/alerts.yml', import.meta.url)

const HEADER = `# Generated from infra/observability/prometheus/alerts.yml by \`npm run docs\`; do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: prelude
spec:
`

export function renderKubernetesRules(): string {
  const alerts = readFileSync(ALERTS, 'utf8')
  const groups = alerts.slice(alerts.indexOf('\ngroups:') + 1)
  return HEADER + groups.replaceAll(/^(?=.)/gm, '  ')
}

if (import.meta.main) await writeFile(KUBERNETES_RULES, renderKubernetesRules())
