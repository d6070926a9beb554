import { expect, test } from 'vitest'
import { remembered } from '../src/kv/remembered.ts'

const KEPT_MS = 60_000
const entry = (value: string) => ({ value, expiresAt: Date.now() + KEPT_MS })

test('what was read is answered again without the store', async () => {
  let reads = 0
  const entries = remembered(async () => entry(`read ${++reads}`), KEPT_MS)
  expect(await entries.get('k')).toBe('read 1')
  expect(await entries.get('k')).toBe('read 1')
  entries.tidy()
  expect(await entries.get('k')).toBe('read 1')
})

test('an entry is not answered after its time, though it is still kept', async () => {
  let reads = 0
  const entries = remembered(async () => ({ value: String(++reads), expiresAt: Date.now() }), KEPT_MS)
  expect(await entries.get('k')).toBe('1')
  expect(await entries.get('k')).toBe('2')
})

test('a read that overlaps a change is not kept: who asks after the change is told of it', async () => {
  const store = { value: 'before' }
  const waiting: (() => void)[] = []
  const entries = remembered(async () => {
    const { value } = store
    await new Promise<void>((resolve) => waiting.push(resolve))
    return entry(value)
  }, KEPT_MS)
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
  }, KEPT_MS)
  await expect(entries.get('k')).rejects.toThrow('down')
  await expect(entries.changing('k', async () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  isDown = false
  expect(await entries.get('k')).toBe('v')
})
