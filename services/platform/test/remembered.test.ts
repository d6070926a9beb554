import { afterEach, expect, test, vi } from 'vitest'
import { remembered } from '../src/remembered.ts'

const KEPT = { keptMs: 60_000, most: 2 }
const entry = (value: string) => ({ value, expiresAt: Infinity })

afterEach(() => void vi.useRealTimers())

test('what was read is answered again without the store', async () => {
  let reads = 0
  const entries = remembered(async () => entry(`read ${++reads}`), KEPT)
  expect(await entries.get('k')).toBe('read 1')
  expect(await entries.get('k')).toBe('read 1')
})

test('an entry is answered neither after its own time nor after that of the memory', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let [reads, ownMs] = [0, 1_000]
  const entries = remembered(async () => ({ value: String(++reads), expiresAt: Date.now() + ownMs }), KEPT)
  for (const keptMs of [1_000, KEPT.keptMs]) {
    const value = await entries.get('k')
    vi.setSystemTime(Date.now() + keptMs - 1)
    expect(await entries.get('k')).toBe(value)
    vi.setSystemTime(Date.now() + 1)
    ownMs = Infinity
    expect(await entries.get('k')).not.toBe(value)
  }
})

test('of more than may be kept the latest stay', async () => {
  const reads: string[] = []
  const entries = remembered(async (key) => entry(`${key} ${reads.push(key)}`), KEPT)
  for (const key of ['a', 'b', 'c']) await entries.get(key)
  expect(await entries.get('b')).toBe('b 2')
  expect(await entries.get('c')).toBe('c 3')
  expect(await entries.get('a')).toBe('a 4')
})

test('what is not there is asked for again', async () => {
  let reads = 0
  const entries = remembered(async () => (++reads === 1 ? null : entry('v')), KEPT)
  expect([await entries.get('k'), await entries.get('k')]).toEqual([null, 'v'])
})

test('who learned the key of a change only afterwards has it forgotten', async () => {
  let reads = 0
  const entries = remembered(async () => entry(`read ${++reads}`), KEPT)
  const early = entries.get('k')
  entries.forget('k')
  expect([await early, await entries.get('k')]).toEqual(['read 1', 'read 2'])
  entries.forget('k')
  expect(await entries.get('k')).toBe('read 3')
})

test('a read that overlaps a change is not kept: who asks after the change is told of it', async () => {
  const store = { value: 'before' }
  const waiting: (() => void)[] = []
  const entries = remembered(async () => {
    const { value } = store
    await new Promise<void>((resolve) => waiting.push(resolve))
    return entry(value)
  }, KEPT)
  const answerAll = (): void => waiting.splice(0).forEach((answer) => answer())

  const early = entries.get('k')
  let during: Promise<string | null> | undefined
  await entries.changing('k', async () => {
    during = entries.get('k') // reads while the change is on its way
    store.value = 'after'
  })
  answerAll()
  expect([await early, await during]).toEqual(['before', 'before'])
  const late = entries.get('k')
  answerAll()
  expect(await late).toBe('after')
})

test('a change that failed and a read that failed leave nothing behind', async () => {
  let isDown = true
  const entries = remembered(async () => {
    if (isDown) throw new Error('down')
    return entry('v')
  }, KEPT)
  await expect(entries.get('k')).rejects.toThrow('down')
  await expect(entries.changing('k', async () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  isDown = false
  expect(await entries.get('k')).toBe('v')
})
