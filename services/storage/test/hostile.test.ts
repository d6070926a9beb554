import { type Placed, type Problem, TakesChanged, type Waveform } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FIXTURES } from './fixtures.ts'
import { CORPUS } from './hostile/corpus.ts'
import type { Observed } from './hostile/observe.ts'
import { startStorage, type Storage } from './system.ts'

const MAX_GROWTH_BYTES = 300e6
const MAX_STALL_MS = 200
const TICK_MS = 5
const MAX_ANALYSES = 3

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

/** The file as a finished resumable upload, placed as both versions. */
async function place(file: string) {
  const songId = newId()
  const upload = newId()
  const uploads = join(storage.stagingDir, 'uploads')
  await mkdir(uploads, { recursive: true })
  await copyFile(file, join(uploads, upload))
  const { size } = await stat(file)
  await writeFile(join(uploads, `${upload}.json`), JSON.stringify({ size, metadata: { filename: 'song' } }))
  const payload = { version1: upload, version2: upload }
  const url = `/songs/${songId}/placements/from-uploads`
  const reply = await storage.inject({ method: 'POST', url, payload })
  return { songId, reply }
}

/** Names the objects and analyses them, as often as the job wants. */
async function analyze(songId: string, { objects }: Placed): Promise<Waveform> {
  const takes = objects.map(({ id }, i) => ({ version: i + 1, take: 1, objectId: id }))
  await storage.deliver(TakesChanged, { songId, uid: 'u1', takes })
  const waiting = () =>
    storage.admin.query('update analysis set due_at = now() where not done returning song_id')
  for (let i = 0; i < MAX_ANALYSES && ((await waiting()).rowCount ?? 0) > 0; i++)
    await storage.runJob('analyze-versions')
  expect((await waiting()).rowCount).toBe(0)
  const waveform = await storage.waveform(objects[1]?.path)
  expect(waveform.statusCode).toBe(200)
  return waveform.json()
}

async function judgeAndAnalyze(file: string): Promise<'refused' | Waveform> {
  const { songId, reply } = await place(file)
  if (reply.statusCode === 200) return analyze(songId, reply.json())
  expect([reply.statusCode, reply.json<Problem>().code]).toEqual([415, 'not_audio'])
  return 'refused'
}

describe.runIf(process.platform === 'linux')('a file of a stranger', { timeout: 300_000 }, () => {
  test.each(CORPUS)('$name does no harm', async ({ name, verdict }) => {
    const { stallMs, growthBytes } = await costOf(async () => {
      const result = await judgeAndAnalyze(join(folder, name))
      if (verdict !== 'any') expect(result === 'refused' ? 'refused' : 'taken').toBe(verdict)
      if (result !== 'refused') expect([0, 300]).toContain(result.peaks.length)
    })
    expect(growthBytes).toBeLessThan(MAX_GROWTH_BYTES)
    expect(stallMs).toBeLessThan(MAX_STALL_MS)
  })

  test.each(FIXTURES)('%s is taken and analysed after all of them', async (name, format) => {
    const result = await judgeAndAnalyze(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)))
    if (result === 'refused') throw new Error('it was refused')
    expect(Math.abs(result.durationMs - 1600)).toBeLessThan(110)
    expect(result.peaks).toHaveLength(format === 'm4a' ? 0 : 300)
  })
})
