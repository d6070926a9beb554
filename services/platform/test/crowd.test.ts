import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCrowd, type Crowd } from '../src/crowd.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** `many` requests that are answered when the returned function is called. */
function ask(crowd: Crowd, many: number): () => Promise<void> {
  const asked = Array.from({ length: many }, () => Promise.withResolvers<void>())
  const answers = asked.map(({ promise }) => crowd.admit(() => promise))
  return async () => {
    for (const { resolve } of asked) resolve()
    await Promise.all(answers)
  }
}

test('requests that keep coming in numbers come first, and no longer once they are answered', async () => {
  const crowd = createCrowd()
  const answer = ask(crowd, 20)
  vi.advanceTimersByTime(2_000)
  expect(crowd.comesFirst()).toBe(true)
  await answer()
  expect(crowd.comesFirst()).toBe(false)
})

test('a hundred at once that are answered in a moment are no crowd, nor are a few that take long', async () => {
  const crowd = createCrowd()
  const answer = ask(crowd, 100)
  vi.advanceTimersByTime(30)
  expect(crowd.comesFirst()).toBe(false)
  await answer()
  vi.advanceTimersByTime(10_000)
  ask(crowd, 7)
  vi.advanceTimersByTime(10_000)
  expect(crowd.comesFirst()).toBe(false)
})

test('a crowd that stays comes first for ten seconds, then between turns; one that comes later has its own', async () => {
  const crowd = createCrowd()
  const answer = ask(crowd, 20)
  vi.advanceTimersByTime(2_000)
  expect(crowd.comesFirst()).toBe(true)
  vi.advanceTimersByTime(10_000)
  for (let turn = 0; turn < 3; turn++) {
    expect(crowd.comesFirst()).toBe(false)
    expect(crowd.comesFirst()).toBe(true)
    vi.advanceTimersByTime(50)
  }
  await answer()
  vi.advanceTimersByTime(10_000)
  ask(crowd, 20)
  vi.advanceTimersByTime(2_000)
  expect(crowd.comesFirst()).toBe(true)
})

test('a request that fails is counted out like any other', async () => {
  const crowd = createCrowd()
  const failed = Array.from({ length: 20 }, () => crowd.admit(() => Promise.reject(new Error('no'))))
  for (const one of failed) await expect(one).rejects.toThrow('no')
  ask(crowd, 1)
  vi.advanceTimersByTime(10_000)
  expect(crowd.comesFirst()).toBe(false)
})
