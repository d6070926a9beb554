import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { CORPUS } from './hostile/corpus.ts'
import { expectVerdict } from './hostile/judge-and-analyze.ts'
import { startStorage } from './system.ts'

/** One of each family; hostile.night.test.ts has all, and what each costs. */
test.for([
  'bomb that says it is mono.flac',
  'a Xing header of four billion frames.mp3',
  '15 MB before the data.wav',
  'a hundred thousand boxes in each other.m4a',
  'the end of time vorbis.ogg',
  'mutant 0 cbr.mp3',
])('a file of a stranger gets its verdict: %s', async (name) => {
  const hostile = CORPUS.find((one) => one.name === name)
  if (!hostile) throw new Error(`${name} is not in the corpus`)
  const folder = await mkdtemp(join(tmpdir(), 'prelude-hostile-'))
  try {
    await using storage = await startStorage()
    await writeFile(join(folder, name), hostile.make())
    await expectVerdict(storage, join(folder, name), hostile.verdict)
  } finally {
    await rm(folder, { recursive: true })
  }
})
