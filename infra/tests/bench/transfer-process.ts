import { Agent, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import type { Call, Transfer, TransferResult } from './transfer.ts'

/** Uploads and downloads as a process: reads a Transfer from stdin, prints a TransferResult. Files are streamed, not kept in memory. */
const transfer = (await json(process.stdin)) as Transfer
const agent = new Agent({ keepAlive: true })
const CHUNK = Buffer.alloc(256 * 1024, 0x55)
const started = performance.now()
let bytes = 0

// call i belongs to worker i % atOnce: two uploads at once to one song would conflict
await Promise.all(
  Array.from({ length: transfer.atOnce }, async (_, worker) => {
    for (const [i, calls] of transfer.calls.entries())
      if (i % transfer.atOnce === worker) for (const call of [calls].flat()) await move(call)
  }),
)
const seconds = (performance.now() - started) / 1_000
const result: TransferResult = { bytes, seconds, perSecond: bytes / seconds }
process.stdout.write(JSON.stringify(result), () => process.exit(0))

function move(call: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      call.url,
      { method: call.method, agent, headers: call.headers },
      (response: IncomingMessage) => {
        response.on('data', (chunk: Buffer) => {
          if (call.fileBytes === undefined && call.json === undefined) bytes += chunk.length
        })
        response.on('end', () => {
          if ((response.statusCode ?? 500) >= 300)
            return reject(new Error(`refused: ${String(response.statusCode)}`))
          if (call.fileBytes !== undefined) bytes += call.fileBytes
          resolve()
        })
      },
    ).on('error', reject)
    if (call.fileBytes === undefined) outgoing.end(call.json)
    else Readable.from(body(call.before ?? '', call.fileBytes, call.after ?? '')).pipe(outgoing)
  })
}

/** A file of `size` bytes with a valid header, between the multipart form's bytes. */
function* body(before: string, size: number, after: string): Generator<Buffer> {
  yield Buffer.from(before, 'latin1')
  const head = Buffer.from(transfer.fileHead, 'base64')
  yield head
  for (let left = size - head.length; left > 0; left -= CHUNK.length)
    yield left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left)
  yield Buffer.from(after, 'latin1')
}
