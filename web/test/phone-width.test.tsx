import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

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
