import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { EVENTS } from '@prelude/contracts'
import { Value } from 'typebox/value'
import { EVENTS_PAGE, renderEvents } from '../../docs/events.ts'
import { SETTINGS } from '../../embedded/settings.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const events = EVENTS

test('docs/events.md is what the contracts say (npm run docs)', () => {
  expect(readFileSync(EVENTS_PAGE, 'utf8')).toBe(renderEvents())
})

test.for(events)('$type has a frozen example that its contract accepts', ({ type, version, data }) => {
  const name = type.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase()
  const folder = resolve(ROOT, 'services/contracts/test/fixtures')
  const example: unknown = JSON.parse(readFileSync(`${folder}/${name}.v${version}.json`, 'utf8'))
  expect(Value.Errors(data, example)).toEqual([])
})

test('every event has one file and every file one event', () => {
  const files = globSync('services/contracts/src/events/*.ts', { cwd: ROOT }).filter(
    (file) => !/(event|all|list)\.ts$/.test(file),
  )
  expect(files).toHaveLength(events.length)
})

test('.env.example names every setting, one a line', () => {
  const named = [...readFileSync(resolve(ROOT, '.env.example'), 'utf8').matchAll(/^#?\s?([A-Z_]+)=/gm)].map(
    (m) => m[1],
  )
  expect(new Set(named)).toEqual(new Set(Object.values(SETTINGS).map(({ env }) => env)))
})
