import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, open, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { FileStream } from '../src/blobs/file-stream.ts'

const SIZE = 3_000_001

/** Files of random bytes, served by their names; `?start=…&end=…` is a range. */
async function serving(count: number) {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-file-stream-'))
  const files = new Map(Array.from({ length: count }, (_, i) => [`/${i}`, randomBytes(SIZE)]))
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes)
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://here')
    const range = searchParams.has('start')
      ? { start: Number(searchParams.get('start')), end: Number(searchParams.get('end')) }
      : undefined
    const stream = new FileStream(await open(join(folder, pathname)), range)
    response.on('close', () => stream.destroy())
    stream.pipe(response)
  }
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    folder,
    files,
    ask: (path: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        get(`http://127.0.0.1:${port}${path}`, { agent: false }, resolve).on('error', reject)
      }),
    openFiles: async (): Promise<string[]> => {
      const handles = await readdir('/proc/self/fd')
      const targets = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
      return targets.filter((target) => target.startsWith(folder))
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true })
    },
  }
}

test('each of many clients gets its own file whole, also one that reads late', async () => {
  await using served = await serving(24)
  const late = await served.ask('/0')
  for (let round = 0; round < 3; round++)
    await Promise.all(
      [...served.files].slice(1).map(async ([name, bytes]) => {
        expect(Buffer.compare(await buffer(await served.ask(name)), bytes)).toBe(0)
      }),
    )
  expect(Buffer.compare(await buffer(late), served.files.get('/0') as Buffer)).toBe(0)
})

test('a range holds its first and its last byte', async () => {
  await using served = await serving(1)
  for (const [start, end] of [
    [0, 0],
    [262_143, 262_144],
    [1, SIZE - 2],
    [SIZE - 1, SIZE - 1],
  ] as const) {
    const sent = await buffer(await served.ask(`/0?start=${start}&end=${end}`))
    expect(Buffer.compare(sent, served.files.get('/0')!.subarray(start, end + 1))).toBe(0)
  }
})

test('a client that leaves midway closes the file', async ({ skip }) => {
  skip(process.platform !== 'linux', 'open files are read from /proc, which only Linux has')
  await using served = await serving(1)
  const answer = await served.ask('/0')
  expect(await served.openFiles()).toHaveLength(1)
  answer.destroy()
  await eventually(async () => expect(await served.openFiles()).toEqual([]))
})

test('a stream in between may keep its chunks', async () => {
  await using served = await serving(1)
  const stream = new FileStream(await open(join(served.folder, '0')))
  const keeper = stream.pipe(new PassThrough({ highWaterMark: 2 * SIZE }))
  await once(stream, 'close')
  expect(Buffer.compare(await buffer(keeper), served.files.get('/0') as Buffer)).toBe(0)
})

test('another file gets every byte', async () => {
  await using served = await serving(8)
  await Promise.all(
    [...served.files].map(async ([name, bytes]) => {
      const copy = join(served.folder, `copy-of-${name.slice(1)}`)
      await pipeline(new FileStream(await open(join(served.folder, name))), createWriteStream(copy))
      expect(Buffer.compare(await readFile(copy), bytes)).toBe(0)
    }),
  )
})
