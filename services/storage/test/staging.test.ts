import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { stage } from '../src/staging.ts'

const PIECE = 256 * 1024

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'prelude-staging-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

const chunksOf = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

test.for([
  [0, 65_536],
  [1, 65_536],
  [PIECE, PIECE],
  [PIECE + 1, 65_536],
  [4 * PIECE - 1, 65_535],
  [3 * PIECE, 2 * PIECE + 1],
] as const)('%i bytes in chunks of %i are staged whole and measured', async ([length, size]) => {
  await using dir = await folder()
  const bytes = randomBytes(length)
  const file = join(dir.path, 'take')
  const source = Readable.from(chunksOf(bytes, size), { objectMode: false })
  const staged = await stage(source, file, 'take.wav', new AbortController().signal)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(staged).toEqual({ file, givenName: 'take.wav', sizeBytes: length, sha256 })
  expect(Buffer.compare(await readFile(file), bytes)).toBe(0)
})

test('many files at once do not mix', async () => {
  await using dir = await folder()
  const given = Array.from({ length: 24 }, () => randomBytes(2 * PIECE + 77))
  await Promise.all(
    given.map((bytes, i) =>
      stage(
        Readable.from(chunksOf(bytes, 40_000)),
        join(dir.path, `${i}`),
        null,
        new AbortController().signal,
      ),
    ),
  )
  for (const [i, bytes] of given.entries())
    expect(Buffer.compare(await readFile(join(dir.path, `${i}`)), bytes)).toBe(0)
})

test('a sender that breaks off, or is cut off, is an error', async () => {
  await using dir = await folder()
  const breaking = Readable.from(
    (function* () {
      yield randomBytes(PIECE + 5)
      throw new Error('gone')
    })(),
  )
  await expect(stage(breaking, join(dir.path, 'a'), null, new AbortController().signal)).rejects.toThrow(
    'gone',
  )
  const silent = new Readable({ read() {} })
  const abort = new AbortController()
  const cut = stage(silent, join(dir.path, 'b'), null, abort.signal)
  abort.abort(new Error('cut'))
  await expect(cut).rejects.toBeInstanceOf(Error)
  expect(silent.destroyed).toBe(true)
})
