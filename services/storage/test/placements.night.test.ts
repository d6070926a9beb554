import { MAX_AUDIO_BYTES, type Placed, type Problem } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { fixture, largeWav } from './fixtures.ts'
import { FORM_END, PART_END, partHead, startStorage, streamedForm } from './system.ts'

const audio = await fixture('vbr.mp3')

test('a file of exactly 200 MiB is taken, and one byte more is refused after it was read to its end', async () => {
  await using storage = await startStorage()
  const form = (sizeBytes: number, read: { toEnd: boolean }) =>
    streamedForm(
      (function* () {
        yield partHead('version1', 'small.mp3')
        yield audio
        yield PART_END
        yield partHead('version2', 'large.wav')
        yield* largeWav(sizeBytes)
        yield PART_END
        yield FORM_END
        read.toEnd = true
      })(),
    )
  const read = { toEnd: false }
  const url = `/songs/${newId()}/placements`
  const over = await storage.inject({ method: 'POST', url, ...form(MAX_AUDIO_BYTES + 1, read) })
  expect([over.statusCode, over.json<Problem>().code]).toEqual([413, 'file_too_large'])
  expect(read.toEnd).toBe(true)
  expect([await storage.objects(), await storage.staged()]).toEqual([[], []])

  const exact = await storage.inject({ method: 'POST', url, ...form(MAX_AUDIO_BYTES, { toEnd: false }) })
  expect(exact.statusCode).toBe(200)
  expect(await storage.blobs.head(exact.json<Placed>().objects[1]?.path ?? '')).toMatchObject({
    sizeBytes: MAX_AUDIO_BYTES,
  })
})
