import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CORPUS } from './hostile/corpus.ts'
import { expectVerdict } from './hostile/judge-and-analyze.ts'
import { startStorage } from './system.ts'

/** One of each family; hostile.night.test.ts has all, and what each costs. */
const NAMES = [
  'bomb that says it is mono.flac',
  'a Xing header of four billion frames.mp3',
  '15 MB before the data.wav',
  'a hundred thousand boxes in each other.m4a',
  'the end of time vorbis.ogg',
  'mutant 0 cbr.mp3',
]

test('files of strangers get their verdict', async () => {
  const hostile = CORPUS.filter(({ name }) => NAMES.includes(name))
  expect(hostile).toHaveLength(NAMES.length)
  const folder = await mkdtemp(join(tmpdir(), 'prelude-hostile-'))
  try {
    await using storage = await startStorage()
    for (const { name, make, verdict } of hostile) {
      await writeFile(join(folder, name), make())
      await expectVerdict(storage, join(folder, name), verdict)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
