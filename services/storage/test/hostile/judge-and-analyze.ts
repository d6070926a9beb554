import { type Placed, type Problem, TakesChanged, type Waveform } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Storage } from '../system.ts'
import type { HostileFile } from './corpus.ts'

const MAX_ANALYSES = 3
const LONGEST_RETRY_MS = 5 * 60_000

/** The file as a finished resumable upload, placed as both versions. */
async function place(storage: Storage, file: string) {
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
async function analyze(storage: Storage, songId: string, { objects }: Placed): Promise<Waveform> {
  const takes = objects.map(({ id }, i) => ({ version: i + 1, take: 1, objectId: id }))
  await storage.deliver(TakesChanged, { songId, uid: 'u1', takes })
  const waiting = async () => (await storage.admin.query('select from analysis where not done')).rowCount
  for (let i = 0; i < MAX_ANALYSES && (await waiting()) > 0; i++) {
    await storage.runJob('analyze-versions')
    storage.clock.pass(LONGEST_RETRY_MS)
  }
  expect(await waiting()).toBe(0)
  const waveform = await storage.waveform(objects[1]?.path)
  expect(waveform.statusCode).toBe(200)
  return waveform.json()
}

/** As an operator's upload. */
export async function judgeAndAnalyze(storage: Storage, file: string): Promise<'refused' | Waveform> {
  const { songId, reply } = await place(storage, file)
  if (reply.statusCode === 200) return analyze(storage, songId, reply.json())
  expect([reply.statusCode, reply.json<Problem>().code]).toEqual([415, 'not_audio'])
  return 'refused'
}

/** Its verdict is the expected one, and a waveform is whole or empty. */
export async function expectVerdict(storage: Storage, file: string, verdict: HostileFile['verdict']) {
  const result = await judgeAndAnalyze(storage, file)
  if (verdict !== 'any') expect(result === 'refused' ? 'refused' : 'taken').toBe(verdict)
  if (result !== 'refused') expect([0, 300]).toContain(result.peaks.length)
}
