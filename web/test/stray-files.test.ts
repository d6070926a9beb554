import { browser } from './browser.ts'
import { expect, test, vi } from 'vitest'
import { ignoreStrayFiles } from '../src/browser/stray-files.ts'

test.for<[what: string, isIgnored: boolean]>([
  ['Files', true],
  ['text/plain', false],
])('whether %s that are dropped beside a form are ignored is %s', ([type, isIgnored]) => {
  ignoreStrayFiles()
  for (const name of ['dragover', 'drop']) {
    const preventDefault = vi.fn<() => void>()
    const dataTransfer = { types: [type], dropEffect: 'move' }
    browser.listeners[name]?.({ preventDefault, dataTransfer, target: {} })
    expect(preventDefault).toHaveBeenCalledTimes(isIgnored ? 1 : 0)
    expect(dataTransfer.dropEffect).toBe(isIgnored ? 'none' : 'move')
  }
})
