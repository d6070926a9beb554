import './browser.ts'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { OpsService } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { Services } from '../src/features/operator/ops/services.tsx'
import { messages } from '../src/messages.ts'
import { loadTexts, markupOf } from './rendered.tsx'

/** Rules of style sheets that keep contents of any length within a phone; how they look is for tests in a browser. */

const source = (file: string): string => readFileSync(resolve(import.meta.dirname, '../src', file), 'utf8')
const declarations = (css: string, selector: string): string =>
  css.split(`${selector} {`)[1]?.split('}')[0] ?? ''

test('the sign-in button breaks its text: the name of a provider may be long', () => {
  expect(source('app/top-bar.tsx')).toMatch(/className=\{styles\.signIn\}[^>]*onClick=\{signIn\}/)
  const rule = declarations(source('app/top-bar.module.css'), '.bar .signIn')
  expect(rule).toContain('white-space: normal')
  expect(rule).toContain('min-width: 0')
})

test('each row of the statement is a block on a phone: in a column of their own its links were beyond the edge', () => {
  const [, narrow = ''] = source('features/payments/statement.module.css').split('@media (width <= 560px)')
  expect(declarations(narrow, '.table tbody tr')).toContain('display: grid')
  expect(declarations(narrow, '.table td:nth-child(5)')).toContain('grid-area: links')
})

test('each row of a table of the operations page is a block on a phone, in which each value has the name of its column', async () => {
  await loadTexts()
  const service = { service: 'songs', state: 'ok', instances: [], backlog: null, topics: [], gauges: {} }
  const markup = markupOf(<Services services={[service as unknown as OpsService]} />)
  const names = [...markup.matchAll(/<td data-name="([^"]*)"/g)].map(([, name]) => name)
  const { service: header, state, deadLetters, backlog, age, lag, parked } = messages.ops.columns
  expect(names).toEqual([state, deadLetters, backlog, age, lag, parked])
  expect(markup).toContain(`>${header}</th>`)
  const [, narrow = ''] = source('features/operator/ops/ops.module.css').split('@media (width < 900px)')
  expect(declarations(narrow, '.table tbody tr')).toContain('flex-wrap: wrap')
  expect(declarations(narrow, '.table td:not(:has(button))::before')).toContain('attr(data-name)')
})
