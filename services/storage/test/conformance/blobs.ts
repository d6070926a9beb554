import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Unavailable } from '@prelude/platform'
import type { BlobStore } from '../../src/blobs/port.ts'

const MIB = 1024 * 1024
const LARGE = 200 * MIB

export interface BlobsUnderTest extends AsyncDisposable {
  readonly blobs: BlobStore
}

/** The rules of the BlobStore port, for every adapter. `make` gives a store with nothing in it. */
export function blobsConformance(make: () => Promise<BlobsUnderTest>): void {
  contents(make)
  failures(make)
  names(make)
}

/** The rules of the port for objects that take seconds. */
export function blobsLarge(make: () => Promise<BlobsUnderTest>): void {
  test('an object of 200 MiB keeps every byte', async () => {
    await using store = await make()
    const given = createHash('sha256')
    for (const chunk of chunks(200)) given.update(chunk)
    await store.blobs.put('large', Readable.from(chunks(200)), options(LARGE))
    const kept = createHash('sha256')
    for await (const chunk of (await store.blobs.get('large')) ?? []) kept.update(chunk as Buffer)
    expect(kept.digest('hex')).toBe(given.digest('hex'))
    const tail = await store.blobs.get('large', { start: LARGE - 2, end: LARGE - 1 })
    expect(tail && [...(await buffer(tail))]).toEqual([199, 199])
  })

  test('of two puts at once of one path one is kept, whole', async () => {
    await using store = await make()
    const filled = (byte: number) => Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(MIB, byte)))
    await Promise.all([1, 2].map((byte) => store.blobs.put('a', filled(byte), options(20 * MIB))))
    const kept = await buffer((await store.blobs.get('a')) ?? Readable.from([]))
    expect(kept).toHaveLength(20 * MIB)
    expect(kept.every((byte) => byte === kept[0])).toBe(true)
  })
}

export const options = (sizeBytes: number) => ({ sizeBytes, contentType: 'application/octet-stream' })

async function write(blobs: BlobStore, path: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  await blobs.put(path, Readable.from([bytes]), options(bytes.length))
}

async function read(
  blobs: BlobStore,
  path: string,
  range?: { start: number; end: number },
): Promise<string | null> {
  const stream = await blobs.get(path, range)
  return stream && (await buffer(stream)).toString()
}

async function paths(blobs: BlobStore, prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const { path } of blobs.list(prefix)) found.push(path)
  return found.toSorted()
}

/** `count` chunks of one MiB, each different, made as they are read. */
export function* chunks(count: number): Generator<Buffer> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(MIB, i)
}

function contents(make: () => Promise<BlobsUnderTest>): void {
  test('an object is read back with its size and time', async () => {
    await using store = await make()
    const before = Date.now()
    await write(store.blobs, 'songs/1/a.mp3', 'hello')
    expect(await read(store.blobs, 'songs/1/a.mp3')).toBe('hello')
    const info = await store.blobs.head('songs/1/a.mp3')
    expect(info).toMatchObject({ path: 'songs/1/a.mp3', sizeBytes: 5 })
    expect(Math.abs((info?.modifiedAt ?? 0) - before)).toBeLessThan(24 * 3_600_000) // ms; seconds would be decades away
  })

  test('a whole file is put as it is, and stays an object when the file goes', async () => {
    await using opened = await make()
    const folder = await mkdtemp(join(tmpdir(), 'prelude-put-'))
    const file = join(folder, 'take.bin')
    await writeFile(file, 'as it is')
    await opened.blobs.putFile('songs/a/take.bin', file, options(8))
    await rm(folder, { recursive: true })
    expect(await read(opened.blobs, 'songs/a/take.bin')).toBe('as it is')
    expect((await opened.blobs.head('songs/a/take.bin'))?.sizeBytes).toBe(8)
  })

  test('a file that is missing, or of another size than was said, leaves nothing', async () => {
    await using opened = await make()
    const folder = await mkdtemp(join(tmpdir(), 'prelude-put-'))
    const file = join(folder, 'take.bin')
    await writeFile(file, 'as it is')
    await expect(opened.blobs.putFile('a', join(folder, 'none'), options(8))).rejects.toBeInstanceOf(Error)
    await expect(opened.blobs.putFile('a', file, options(9))).rejects.toBeInstanceOf(Error)
    await expect(
      opened.blobs.putFile('a', file, { ...options(8), signal: AbortSignal.abort() }),
    ).rejects.toBeInstanceOf(Error)
    expect(await paths(opened.blobs, '')).toEqual([])
    await rm(folder, { recursive: true })
  })

  test('an object may be empty', async () => {
    await using store = await make()
    await write(store.blobs, 'empty', '')
    expect(await store.blobs.head('empty')).toMatchObject({ sizeBytes: 0 })
    expect(await read(store.blobs, 'empty')).toBe('')
  })

  test('a range holds its first and its last byte', async () => {
    await using store = await make()
    await write(store.blobs, 'digits', '0123456789')
    expect(await read(store.blobs, 'digits', { start: 0, end: 0 })).toBe('0')
    expect(await read(store.blobs, 'digits', { start: 3, end: 5 })).toBe('345')
    expect(await read(store.blobs, 'digits', { start: 9, end: 9 })).toBe('9')
    expect(await read(store.blobs, 'digits', { start: 0, end: 9 })).toBe('0123456789')
  })

  test('a second put replaces the object', async () => {
    await using store = await make()
    await write(store.blobs, 'a', 'a longer first text')
    await write(store.blobs, 'a', 'second')
    expect(await read(store.blobs, 'a')).toBe('second')
    expect(await paths(store.blobs, '')).toEqual(['a'])
  })

  test('a list holds the objects whose path begins with the prefix, and only those', async () => {
    await using store = await make()
    for (const path of ['songs/1/a', 'songs/1/b', 'songs/12/c', 'songs/2/d', 'other'])
      await write(store.blobs, path, path)
    expect(await paths(store.blobs, 'songs/1')).toEqual(['songs/1/a', 'songs/1/b', 'songs/12/c'])
    expect(await paths(store.blobs, 'songs/1/')).toEqual(['songs/1/a', 'songs/1/b'])
    expect(await paths(store.blobs, 'songs/1/b')).toEqual(['songs/1/b'])
    expect(await paths(store.blobs, 'none/')).toEqual([])
    expect(await paths(store.blobs, '')).toHaveLength(5)
  })

  test('a missing object reads as null and can be deleted', async () => {
    await using store = await make()
    expect(await store.blobs.get('none/at/all')).toBeNull()
    expect(await store.blobs.head('none/at/all')).toBeNull()
    await store.blobs.delete('none/at/all')
    await write(store.blobs, 'songs/1/a', 'a')
    expect(await store.blobs.get('songs/1')).toBeNull()
    await store.blobs.delete('songs/1/a')
    expect(await store.blobs.get('songs/1/a')).toBeNull()
    expect(await paths(store.blobs, '')).toEqual([])
  })
}

function failures(make: () => Promise<BlobsUnderTest>): void {
  const midway = () =>
    Readable.from(
      (function* () {
        yield Buffer.alloc(MIB)
        throw new Error('the source broke')
      })(),
    )

  test('a source that fails midway leaves nothing', async () => {
    await using store = await make()
    await expect(store.blobs.put('a', midway(), options(2 * MIB))).rejects.toBeInstanceOf(Error)
    expect(await store.blobs.get('a')).toBeNull()
    expect(await paths(store.blobs, '')).toEqual([])
  })

  test('a put that fails leaves the object that was there', async () => {
    await using store = await make()
    await write(store.blobs, 'a', 'first')
    await expect(store.blobs.put('a', midway(), options(2 * MIB))).rejects.toBeInstanceOf(Error)
    await expect(store.blobs.put('a', Readable.from(['xy']), options(1))).rejects.toBeInstanceOf(Error)
    expect(await read(store.blobs, 'a')).toBe('first')
  })

  test('a source shorter or longer than announced is refused and leaves nothing', async () => {
    await using store = await make()
    for (const announced of [6, 4]) {
      const put = store.blobs.put('a', Readable.from([Buffer.from('hello')]), options(announced))
      await expect(put).rejects.toBeInstanceOf(Error)
      expect(await store.blobs.get('a')).toBeNull()
    }
  })

  test('an aborted put leaves nothing and frees its source', async () => {
    await using store = await make()
    const source = new Readable({ read() {} })
    source.push(Buffer.alloc(1024))
    const put = store.blobs.put('a', source, { ...options(2048), signal: AbortSignal.timeout(50) })
    await expect(put).rejects.toBeInstanceOf(Error)
    expect(source.destroyed).toBe(true)
    expect(await store.blobs.get('a')).toBeNull()
  })

  test('an object can be replaced and deleted after a reader left midway', async () => {
    await using store = await make()
    await store.blobs.put('a', Readable.from(chunks(8)), options(8 * MIB))
    const reader = await store.blobs.get('a')
    await new Promise((resolve) => reader?.once('readable', resolve))
    reader?.destroy()
    await write(store.blobs, 'a', 'second')
    expect(await read(store.blobs, 'a')).toBe('second')
    await store.blobs.delete('a')
    expect(await store.blobs.head('a')).toBeNull()
  })
}

export interface BlobsOutage extends BlobsUnderTest {
  stop(): Promise<void>
  start(): Promise<void>
  /** Keeps its connections and answers nothing. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** The rules of the port while the store is away, where a test can take it away. */
export function blobsOutages(make: () => Promise<BlobsOutage>): void {
  test('while the store is down calls fail, and afterwards its objects are there again', async () => {
    await using store = await make()
    const { blobs } = store
    await write(blobs, 'a', 'first')
    await store.stop()
    await expect(blobs.get('a')).rejects.toBeInstanceOf(Unavailable)
    await expect(blobs.head('a')).rejects.toBeInstanceOf(Unavailable)
    await expect(blobs.delete('a')).rejects.toBeInstanceOf(Unavailable)
    await expect(paths(blobs, '')).rejects.toBeInstanceOf(Unavailable)
    await expect(blobs.ping()).rejects.toBeInstanceOf(Unavailable)
    await expect(write(blobs, 'a', 'late')).rejects.toBeInstanceOf(Unavailable)
    await store.start()
    await blobs.ping()
    expect(await read(blobs, 'a')).toBe('first')
  })

  test('a store that dies in the middle of a put leaves the object that was there', async () => {
    await using store = await make()
    const { blobs } = store
    await write(blobs, 'a', 'first')
    const dying = Readable.from(
      (async function* () {
        yield* chunks(20)
        await store.stop()
        yield* chunks(20)
      })(),
    )
    await expect(blobs.put('a', dying, options(40 * MIB))).rejects.toBeInstanceOf(Unavailable)
    await store.start()
    expect(await read(blobs, 'a')).toBe('first')
    await blobs.put('a', Readable.from(chunks(20)), options(20 * MIB))
    expect(await blobs.head('a')).toMatchObject({ sizeBytes: 20 * MIB })
  })

  test('a store that does not answer fails a call, and a put ends with its signal', async () => {
    await using store = await make()
    const { blobs } = store
    await write(blobs, 'a', 'first')
    await store.freeze()
    try {
      const signal = AbortSignal.timeout(200)
      const put = blobs.put('b', Readable.from(chunks(1)), { ...options(MIB), signal })
      await expect(put).rejects.toBeInstanceOf(Error)
      await expect(blobs.head('a')).rejects.toBeInstanceOf(Unavailable)
    } finally {
      await store.thaw()
    }
    expect(await read(blobs, 'a')).toBe('first')
  })
}

function names(make: () => Promise<BlobsUnderTest>): void {
  test('every name of letters, digits, dots, dashes and underscores is kept', async () => {
    await using store = await make()
    for (const path of [
      'songs/0198c0de-0000-7000-8000-000000000000/version1_my-Song.2.mp3',
      'songs/1/007',
      'songs/1/_',
      'songs/1/trailing.',
      `songs/1/${'x'.repeat(255)}`,
    ]) {
      await write(store.blobs, path, path)
      expect(await read(store.blobs, path)).toBe(path)
      expect(await paths(store.blobs, 'songs/')).toEqual([path])
      await store.blobs.delete(path)
      expect(await store.blobs.head(path)).toBeNull()
    }
  })

  const wrong = [
    '../a',
    'songs/../../a',
    'a/..',
    '/a',
    'a//b',
    'a/',
    './a',
    '',
    '007',
    'a/.hidden',
    'a/-r',
    'a/with space',
    'a/back\\slash',
    'a/100%25',
    'a/ünï',
    'a/b?c',
    'a/b\n',
    `a/${'x'.repeat(256)}`,
  ]
  test('a path that is none, or leaves its folder, is refused', async () => {
    await using store = await make()
    const taken = await Array.fromAsync(wrong, async (path) => {
      const source = Readable.from(['x'])
      const tries = [store.blobs.put(path, source, options(1)), store.blobs.get(path)]
      const outcomes = await Promise.all(tries.map((one) => one.then(() => 'taken', String)))
      return [path, source.destroyed, ...outcomes]
    })
    const refused = expect.stringContaining('not an object path') as string
    expect(taken).toEqual(wrong.map((path) => [path, true, refused, refused]))
  })
}
