import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FIXTURES } from './fixtures.ts'
import { CORPUS } from './hostile/corpus.ts'
import { expectVerdict, judgeAndAnalyze } from './hostile/judge-and-analyze.ts'
import type { Observed } from './hostile/observe.ts'
import { startStorage, type Storage } from './system.ts'

const MAX_GROWTH_BYTES = 300e6
const MAX_STALL_MS = 200
const TICK_MS = 5

const script = (name: string): string => fileURLToPath(new URL(`hostile/${name}.ts`, import.meta.url))

let folder: string
let storage: Storage
let observer: ChildProcess

/** What was observed since the last call. */
async function observed(): Promise<Observed> {
  const answer = once(observer, 'message')
  observer.send('report')
  return (await answer)[0] as Observed
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prelude-hostile-'))
  // in a process of its own, so that its buffers do not count
  await promisify(execFile)(process.execPath, [script('write-corpus'), folder])
  storage = await startStorage()
  observer = fork(script('observe'), { execArgv: [] })
})
afterAll(async () => {
  observer.kill()
  await storage[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/**
 * `stallMs`: the most processor time that the event loop's thread took between two ticks of a timer. A wait for the processor,
 * which other work of the machine causes, does not count.
 */
async function costOf(work: () => Promise<void>): Promise<{ stallMs: number; growthBytes: number }> {
  const { nowBytes } = await observed()
  let used = process.threadCpuUsage()
  let stallUs = 0
  const ticking = setInterval(() => {
    const { user, system } = process.threadCpuUsage(used)
    stallUs = Math.max(stallUs, user + system)
    used = process.threadCpuUsage()
  }, TICK_MS)
  await work().finally(() => clearInterval(ticking))
  const { peakBytes } = await observed()
  return { stallMs: stallUs / 1_000, growthBytes: peakBytes - nowBytes }
}

describe.runIf(process.platform === 'linux')('a file of a stranger', () => {
  test.each(CORPUS)('$name does no harm', async ({ name, verdict }) => {
    const { stallMs, growthBytes } = await costOf(() => expectVerdict(storage, join(folder, name), verdict))
    expect(growthBytes).toBeLessThan(MAX_GROWTH_BYTES)
    expect(stallMs).toBeLessThan(MAX_STALL_MS)
  })

  test.each(FIXTURES)('%s is taken and analysed after all of them', async (name, format) => {
    const result = await judgeAndAnalyze(storage, fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)))
    if (result === 'refused') throw new Error('it was refused')
    expect(Math.abs(result.durationMs - 1600)).toBeLessThan(110)
    expect(result.peaks).toHaveLength(format === 'm4a' ? 0 : 300)
  })
})
