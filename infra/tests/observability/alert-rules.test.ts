import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ALERT_CASES } from './alert-cases.ts'
import { ALERT_RULES } from './alert-rules.ts'

const PAGE = resolve(import.meta.dirname, '../../../docs/operations/alerts.md')

describe('alerts', () => {
  test('each has a case in which it fires and one in which it stays quiet', () => {
    const changing = ALERT_RULES.filter(({ labels }) => labels.severity !== 'none')
    expect(new Set(ALERT_CASES.map(({ alert }) => alert))).toEqual(
      new Set(changing.map(({ alert }) => alert)),
    )
    expect(ALERT_RULES.filter((rule) => !changing.includes(rule)).map(({ alert }) => alert)).toEqual([
      'PreludeWatchdog',
    ])
  })

  test('each has a severity, a summary and a runbook in docs/operations/alerts.md', async () => {
    const page = await readFile(PAGE, 'utf8')
    for (const { alert, labels, annotations } of ALERT_RULES) {
      expect(['critical', 'warning', 'none']).toContain(labels.severity)
      expect(annotations.summary).toMatch(/\w/)
      expect(annotations.runbook).toBe(`docs/operations/alerts.md#${alert.toLowerCase()}`)
      expect(page).toContain(`\n## ${alert}\n`)
    }
  })
})

test('each objective of docs/operations/alerts.md names alerts, of which one at least looks at its metric', async () => {
  const page = await readFile(PAGE, 'utf8')
  const [, table = ''] = /\n## Objectives\n(.*?)\n## /s.exec(page) ?? []
  const objectives = table.split('\n').filter((line) => /^\| \w/.test(line) && line.includes('`'))
  expect(objectives).toHaveLength(5)
  for (const line of objectives) {
    const named = new Set(line.match(/Prelude\w+/g))
    const theirs = ALERT_RULES.filter(({ alert }) => named.has(alert))
    expect([line, theirs.length]).toEqual([line, named.size])
    const [metric = 'no metric'] = /prelude_\w+/.exec(line) ?? []
    expect([line, theirs.some(({ expr }) => expr.includes(metric))]).toEqual([line, true])
  }
})
