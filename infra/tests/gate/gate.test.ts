import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { createVitest } from 'vitest/node'
import { AREAS } from './areas.ts'
import { PARTS } from './nights.ts'
import type { Outcome } from './outcome.ts'
import { objectionsTo, type Quarantined } from './quarantine.ts'
import { type Circumstances, summarize } from './summary.ts'

const FILES = globSync('{gateway,web,services,infra}/**/*.test.{ts,tsx}', { exclude: ['**/node_modules/**'] })
const NOW = Date.parse('2026-11-26T12:00:00Z')
const outcome = (title: string, status: Outcome['status'], reason = ''): Outcome => ({
  file: 'a.test.ts',
  title,
  status,
  reason,
})

function verdictOn(outcomes: readonly Outcome[], given: Partial<Circumstances> = {}) {
  let printed = ''
  const print = (text: string) => void (printed += text)
  const files = [
    { file: 'quick.test.ts', seconds: 0.1 },
    { file: 'slow.test.ts', seconds: 12.34 },
  ]
  const around = { seconds: 61, strict: true, quarantine: [], now: NOW, print, ...given }
  const code = summarize({ files, outcomes }, around)
  return { code, printed, last: printed.trimEnd().split('\n').at(-1) }
}

test('the last line counts what passed and failed; failures come with their reason, the slowest files first', () => {
  const { code, printed, last } = verdictOn([
    outcome('is good', 'passed'),
    outcome('is bad', 'failed', 'why\nand how'),
  ])
  expect([code, last]).toEqual([1, '1 passed, 1 failed'])
  expect(printed).toContain('- a.test.ts: is bad\n    why\n    and how\n')
  expect(printed).toMatch(/12\.3 s {2}slow\.test\.ts\n +0\.1 s {2}quick\.test\.ts\n[^]*It took 1 min 1 s\./)
  expect(verdictOn([outcome('is good', 'passed')])).toMatchObject({ code: 0, last: '1 passed, 0 failed' })
})

test('a skipped test is counted, and fails the run where CI is set', () => {
  const skipped = [outcome('is good', 'passed'), outcome('is skipped', 'skipped', 'no Chromium here')]
  expect(verdictOn(skipped)).toMatchObject({ code: 1, last: '1 passed, 0 failed, 1 skipped' })
  expect(verdictOn(skipped).printed).toContain('- a.test.ts: is skipped: no Chromium here')
  expect(verdictOn(skipped, { strict: false }).code).toBe(0)
})

const quarantined = (given: Partial<Quarantined> = {}): Quarantined => ({
  file: 'infra/tests/gate/gate.test.ts',
  title: 'a test in quarantine decides nothing',
  since: '2026-11-24',
  until: '2026-11-28',
  reason: 'a race that is being mended',
  ...given,
})

test('a test in quarantine decides nothing, and is named before the last line', () => {
  const entry = quarantined()
  const failed: Outcome = { ...entry, status: 'failed' }
  const { code, printed, last } = verdictOn([outcome('is good', 'passed'), failed], { quarantine: [entry] })
  expect([code, last]).toEqual([0, '1 passed, 0 failed'])
  expect(printed).toContain(`in quarantine: ${entry.file}: ${entry.title} (failed)\n1 passed`)
})

const OBJECTIONS: [string, Quarantined[]][] = [
  ['overdue', [quarantined({ since: '2026-11-20', until: '2026-11-24' })]],
  ['for more than 7 days', [quarantined({ until: '2026-12-24' })]],
  ['for more than 7 days', [quarantined({ until: 'some day' })]],
  ['no such test', [quarantined({ title: ['not', 'there'].join(' ') })]],
  ['no such test', [quarantined({ file: 'gone.test.ts' })]],
  ['never without its test', [quarantined({ file: 'services/credits/test/races.test.ts', title: 'test' })]],
  ['without a reason', [quarantined({ reason: '' })]],
  ['more than 3', [quarantined(), quarantined(), quarantined(), quarantined()]],
]
test('a quarantine that is too long, too large or of no test fails the run', () => {
  expect(objectionsTo([quarantined()], NOW)).toEqual([])
  for (const [problem, entries] of OBJECTIONS) {
    expect(objectionsTo(entries, NOW).join('\n')).toContain(problem)
    expect(verdictOn([outcome('is good', 'passed')], { quarantine: entries }).code).toBe(1)
  }
})

test('every area and every part of the night names files that are there', () => {
  const named = [
    ...Object.values(AREAS).flatMap(({ vitest = [] }) => vitest),
    ...Object.values(PARTS).flatMap(({ tests = [] }) => tests.flatMap((command) => command.slice(2))),
  ].filter((one) => one.includes('/'))
  expect(
    named.filter((part) => part !== 'infra/tests/e2e' && !FILES.some((file) => file.includes(part))),
  ).toEqual([])
})

test('every test file belongs to a project, so that none is left out of all runs', async () => {
  const vitest = await createVitest('test', { run: true })
  try {
    const listed = await vitest.globTestSpecifications()
    expect(new Set(listed.map(({ moduleId }) => relative('', moduleId)))).toEqual(new Set(FILES))
  } finally {
    await vitest.close()
  }
})

test.for([
  ['found 0 vulnerabilities', 0, 0, 'found 0'],
  ['# npm audit report\n\npg  <9\nSeverity: critical', 1, 1, 'pg  <9'],
  ['npm error audit endpoint returned an error', 1, 0, 'npm could not read advisories.'],
] as const)('advisories: of "%s" the exit code is %i as %i', ([answer, ofNpm, code, shown]) => {
  const bin = mkdtempSync(join(tmpdir(), 'prelude-npm-'))
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho '${answer}'\nexit ${ofNpm}\n`, { mode: 0o755 })
  const PATH = `${bin}:${process.env['PATH']}`
  const { status, stdout } = spawnSync('.ci/advisories', { env: { PATH }, encoding: 'utf8' })
  rmSync(bin, { recursive: true })
  expect([status, stdout]).toEqual([code, expect.stringContaining(shown)])
})

test.for(globSync('.github/workflows/*.yml'))('%s pins actions by commit and names what it may', (file) => {
  const text = readFileSync(file, 'utf8')
  const used = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action)
  for (const action of used) expect(action).toMatch(/^(\.\/|[\w/-]+@[\da-f]{40} # v[\d.]+$)/)
  expect(text).toMatch(/^permissions: \{/m)
})
