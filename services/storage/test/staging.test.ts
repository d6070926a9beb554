import { createHash, randomBytes } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { newId } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { createStaging } from '../src/staging.ts'

const BUFFER = 512 * 1024

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'prelude-staging-'))
  const staging = createStaging(path)
  return {
    path,
    stage: staging.stage,
    finishedUpload: staging.finishedUpload,
    close: staging.close,
    /** As the tus server leaves a finished upload. */
    upload: async (bytes: Buffer): Promise<string> => {
      const id = newId()
      await mkdir(staging.uploadsDir, { recursive: true })
      await writeFile(join(staging.uploadsDir, id), bytes)
      const info = { size: bytes.length, metadata: { filename: 'take.wav' } }
      await writeFile(join(staging.uploadsDir, `${id}.json`), JSON.stringify(info))
      return id
    },
    [Symbol.asyncDispose]: async () => {
      await staging.close()
      await rm(path, { recursive: true })
    },
  }
}

/** Each in memory of its own, as from a socket. */
const chunksOf = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    Buffer.concat([bytes.subarray(i * size, (i + 1) * size)]),
  )

test('files of any length in chunks of any size are staged whole and measured', async () => {
  await using dir = await folder()
  for (const [length, size] of [
    [0, 65_536],
    [1, 65_536],
    [BUFFER, BUFFER],
    [BUFFER + 1, 65_536],
    [4 * BUFFER - 1, 65_535],
    [3 * BUFFER, 2 * BUFFER + 1],
  ] as const) {
    const bytes = randomBytes(length)
    const file = join(dir.path, `take-${length}`)
    const source = Readable.from(chunksOf(bytes, size), { objectMode: false })
    const staged = await dir.stage(source, file, 'take.wav')
    expect(staged).toEqual({
      file,
      givenName: 'take.wav',
      sizeBytes: length,
      sha256: sha256(bytes),
      onDisk: expect.any(Promise) as Promise<void>,
    })
    await staged.onDisk
    expect(Buffer.compare(await readFile(file), bytes)).toBe(0)
  }
})

test('memory that a chunk does not share goes to the worker; what shares its memory is copied', async () => {
  await using dir = await folder()
  const [alone, shared, small] = [Buffer.alloc(5_000, 1), Buffer.alloc(10_000, 2), Buffer.alloc(9, 3)]
  const file = join(dir.path, 'take')
  await dir.stage(Readable.from([alone, shared.subarray(0, 5_000), small, small]), file, null)
  expect([alone, shared, small].map(({ length }) => length)).toEqual([0, 10_000, 9])
  const bytes = Buffer.concat([Buffer.alloc(5_000, 1), shared.subarray(0, 5_000), small, small])
  expect(Buffer.compare(await readFile(file), bytes)).toBe(0)
  const twice = dir.stage(Readable.from([alone]), join(dir.path, 'twice'), null)
  await expect(twice).rejects.toMatchObject({ code: 'upload_failed' })
})

test('many files at once do not mix', async () => {
  await using dir = await folder()
  const given = Array.from({ length: 24 }, () => randomBytes(2 * BUFFER + 77))
  await Promise.all(
    given.map((bytes, i) => dir.stage(Readable.from(chunksOf(bytes, 40_000)), join(dir.path, `${i}`), null)),
  )
  for (const [i, bytes] of given.entries())
    expect(Buffer.compare(await readFile(join(dir.path, `${i}`)), bytes)).toBe(0)
})

test('a sender that breaks off, or is cut off, is an error', async () => {
  await using dir = await folder()
  const breaking = Readable.from(
    (function* () {
      yield randomBytes(BUFFER + 5)
      throw new Error('gone')
    })(),
  )
  await expect(dir.stage(breaking, join(dir.path, 'a'), null)).rejects.toThrow('gone')
  const silent = new Readable({ read() {} })
  const cut = dir.stage(silent, join(dir.path, 'b'), null)
  await eventually(() => access(join(dir.path, 'b')))
  silent.destroy(new Error('cut'))
  await expect(cut).rejects.toThrow('cut')
  const early = new Readable({ read() {} })
  const unopened = dir.stage(early, join(dir.path, 'c'), null)
  early.destroy(new Error('early'))
  await expect(unopened).rejects.toThrow('early')
})

test('of files that come in together only those arrive whose senders stay', async () => {
  await using dir = await folder()
  const bytes = randomBytes(3 * BUFFER + 1)
  const rest = Promise.withResolvers<void>()
  async function* halting(halfway: () => void, leaves: boolean): AsyncGenerator<Buffer> {
    yield* chunksOf(bytes.subarray(0, BUFFER + 1), BUFFER)
    halfway()
    await rest.promise
    if (leaves) throw new Error('left')
    yield* chunksOf(bytes.subarray(BUFFER + 1), BUFFER)
  }
  const going = Array.from({ length: 6 }, (_, i) => {
    const halfway = Promise.withResolvers<void>()
    const source = Readable.from(halting(halfway.resolve, i % 2 === 0))
    return { halfway: halfway.promise, staged: dir.stage(source, join(dir.path, `${i}`), null) }
  })
  await Promise.all(going.map(({ halfway }) => halfway))
  const ended = Promise.allSettled(going.map(({ staged }) => staged))
  rest.resolve()
  expect((await ended).map(({ status }) => status)).toEqual(
    going.map((_, i) => (i % 2 === 0 ? 'rejected' : 'fulfilled')),
  )
  for (const i of [1, 3, 5]) expect(Buffer.compare(await readFile(join(dir.path, `${i}`)), bytes)).toBe(0)
})

test('when the worker that writes has died, files in flight are refused and the next file starts another worker', async () => {
  await using dir = await folder()
  const half = Promise.withResolvers<void>()
  const died = Promise.withResolvers<void>()
  async function* slow(): AsyncGenerator<Buffer> {
    yield randomBytes(BUFFER + 1)
    half.resolve()
    await died.promise
    yield randomBytes(BUFFER)
  }
  const cut = Promise.allSettled([dir.stage(Readable.from(slow()), join(dir.path, 'a'), null)])
  await half.promise
  await dir.close()
  died.resolve()
  expect(await cut).toMatchObject([
    {
      status: 'rejected',
      reason: {
        code: 'upload_failed',
        cause: { message: expect.stringContaining('the worker that writes ended') as string },
      },
    },
  ])
  const bytes = randomBytes(BUFFER + 1)
  const file = join(dir.path, 'b')
  expect(await dir.stage(Readable.from(chunksOf(bytes, BUFFER)), file, null)).toMatchObject({
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
  expect(Buffer.compare(await readFile(file), bytes)).toBe(0)
})

test('a finished upload of any length is measured beside files that come in', async () => {
  await using dir = await folder()
  for (const length of [1, BUFFER, 2 * BUFFER, 2 * BUFFER + 1, 5 * BUFFER + 3]) {
    const [bytes, other] = [randomBytes(length), randomBytes(3 * BUFFER)]
    const id = await dir.upload(bytes)
    const [finished, staged] = await Promise.all([
      dir.finishedUpload(id),
      dir.stage(Readable.from(chunksOf(other, 40_000)), join(dir.path, `take-${length}`), null),
    ])
    expect(finished).toMatchObject({ givenName: 'take.wav', sizeBytes: length, sha256: sha256(bytes) })
    expect(staged.sha256).toBe(sha256(other))
    await finished.onDisk
  }
})

test('a finished upload is not hashed by the thread that answers requests', async () => {
  await using dir = await folder()
  const bytes = randomBytes(48 * 1024 * 1024)
  const id = await dir.upload(bytes)
  await dir.finishedUpload(await dir.upload(randomBytes(BUFFER))) // starts the worker
  const cpuOf = async <T>(work: () => T): Promise<{ result: Awaited<T>; micros: number }> => {
    const before = process.threadCpuUsage()
    const result = await work()
    const { user, system } = process.threadCpuUsage(before)
    return { result, micros: user + system }
  }
  const here = await cpuOf(() => sha256(bytes))
  const there = await cpuOf(() => dir.finishedUpload(id))
  expect(there.result.sha256).toBe(here.result)
  expect(there.micros).toBeLessThan(here.micros / 2)
})

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
