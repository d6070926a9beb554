import { WriteStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable, type Writable } from 'node:stream'
import { acquireBuffer, releaseBuffer } from './buffer-pool.ts'

/** The size of reads for all other destinations, each into a new buffer. */
const CHUNK_BYTES = 64 * 1024

/**
 * A file, from `start` to `end` (inclusive) or all of it; closes it when it ends or is destroyed. A socket or another
 * file receives it piece by piece from one buffer.
 */
export class FileStream extends Readable {
  readonly #file: FileHandle
  #at: number
  readonly #end: number

  constructor(file: FileHandle, { start = 0, end = Infinity }: { start?: number; end?: number } = {}) {
    super({ highWaterMark: CHUNK_BYTES })
    this.#file = file
    this.#at = start
    this.#end = end + 1
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    if (!isSink(destination)) return super.pipe(destination, options)
    this.#sendTo(destination, options?.end ?? true).catch((error: unknown) => this.destroy(error as Error))
    return destination
  }

  async #sendTo(sink: Writable, end: boolean): Promise<void> {
    const buffer = acquireBuffer()
    for (let read = await this.#fill(buffer); read > 0; read = await this.#fill(buffer)) {
      const isTaken = !this.destroyed && (await written(sink, buffer.subarray(0, read)))
      if (!isTaken) return void this.destroy()
    }
    releaseBuffer(buffer)
    this.push(null)
    this.resume()
    if (end) sink.end()
  }

  override _read(): void {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    this.#fill(chunk).then(
      (read) => this.push(read > 0 ? chunk.subarray(0, read) : null),
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#file.close().then(
      () => done(error),
      (failed: Error) => done(error ?? failed),
    )
  }

  async #fill(buffer: Buffer): Promise<number> {
    const wanted = Math.min(buffer.length, this.#end - this.#at)
    if (wanted <= 0) return 0
    const { bytesRead } = await this.#file.read(buffer, 0, wanted, this.#at)
    this.#at += bytesRead
    return bytesRead
  }
}

/** Does not keep a buffer after its callback; other destinations may. */
const isSink = (destination: NodeJS.WritableStream): destination is Writable =>
  destination instanceof WriteStream ||
  (destination instanceof ServerResponse && destination.socket instanceof Socket)

/** Whether all bytes were written. Never resolves when the sink is closed first; the stream is destroyed then. */
const written = (sink: Writable, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    sink.write(bytes, (error) => resolve(!error))
  })
