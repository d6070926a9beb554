import { readFileSync } from 'node:fs'
import { WEB_ROUTES } from '@prelude/contracts'
import { expect, test } from 'vitest'

test('errors of every page can be told apart: the gateway has its route', () => {
  const routes = readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8')
  const paths = [...routes.matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path)
  // the gallery of components is not part of a build
  expect(new Set(paths.filter((path) => path !== '/ui'))).toEqual(new Set(WEB_ROUTES))
})
