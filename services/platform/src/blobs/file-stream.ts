import type { FileHandle } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'

/** Read into buffers of its own when it is not piped to a socket. */
const CHUNK_BYTES = 64 * 1024
const PIECE_BYTES = 256 * 1024
/** Pieces that wait for the next answer. */
const MOST_SPARE = 16
const spare: Buffer[] = []

/**
 * A file, from `start` to `end` (inclusive) or all of it; closes it when it ends or is destroyed. An answer over a socket
 * gets it piece by piece through one buffer that is filled anew each time: a fresh one each time is garbage outside of the
 * heap, for which Node looks through the whole heap again and again.
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
    // anything else may hold what it is given for longer than until it calls back
    if (!(destination instanceof ServerResponse && destination.socket instanceof Socket))
      return super.pipe(destination, options)
    this.#sendTo(destination, options?.end ?? true).catch((error: unknown) => this.destroy(error as Error))
    return destination
  }

  async #sendTo(response: ServerResponse, end: boolean): Promise<void> {
    const piece = spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
    for (let read = await this.#fill(piece); read > 0; read = await this.#fill(piece)) {
      const isTaken = !this.destroyed && (await written(response, piece.subarray(0, read)))
      if (!isTaken) return void this.destroy()
    }
    if (spare.length < MOST_SPARE) spare.push(piece)
    this.push(null)
    this.resume()
    if (end) response.end()
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

/** Whether the socket took it all. Never resolves when it is closed before: whoever answers destroys the stream then. */
const written = (response: ServerResponse, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    response.write(bytes, (error) => resolve(!error))
  })
