import './browser.ts'
import { beforeAll, expect, test, vi } from 'vitest'
import LiveUpdates from '../src/app/live-updates.tsx'
import { compareBuild } from '../src/browser/build.ts'
import { holdPage } from '../src/state/held-page.ts'
import { loadTexts, textOf } from './rendered.tsx'

beforeAll(loadTexts)

test('a tab offers to load another build than its own, but not while it holds what that would lose', () => {
  vi.spyOn(document, 'querySelector').mockReturnValue({ src: '/assets/index-a.js' } as never)
  const offers = (): boolean => textOf(<LiveUpdates uid="ada" />).includes('There is a new version')
  const served = (build: string | undefined): boolean => (compareBuild(build), offers())
  expect(['index-a', undefined, 'index-b'].map(served)).toEqual([false, false, true])
  const release = [holdPage(), holdPage()]
  expect(offers()).toBe(false)
  release[0]?.()
  release[0]?.()
  expect(offers()).toBe(false)
  release[1]?.()
  expect(offers()).toBe(true)
})
