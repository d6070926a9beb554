import { write, writeSync } from 'node:fs'

/** Buffered characters; lines beyond are dropped. */
const MAX_BUFFERED = 8 * 1024 * 1024
const WRITE_BYTES = 64 * 1024
const RETRY_MS = 10
const RETRIES_AT_EXIT = 100

let dropped = 0
/** Log lines of this process that were dropped because the buffer was full. */
export const droppedLines = (): number => dropped

export interface Output {
  write(line: string): void
}

let output: Output | undefined
/**
 * Non-blocking standard output with a bounded buffer. Overflow is dropped, counted and reported by a line of its own. A
 * reader that goes away (EPIPE) or a full disk never ends the process; at exit the rest is flushed, for a second at most.
 */
export const standardOutput = (): Output => (output ??= outputTo(process.stdout.fd))

function outputTo(fd: number): Output {
  let buffered = ''
  let missing = 0
  let chunk = Buffer.alloc(0)
  let pending = false
  let isWriting = false
  let isOver = false

  /** The next characters to write; empty when all are written. */
  const next = (): Buffer => {
    if (chunk.length > 0) return chunk
    chunk = Buffer.from(buffered)
    buffered = ''
    if (missing > 0) {
      const msg = 'log lines dropped: they were not read'
      buffered = `${JSON.stringify({ level: 40, time: Date.now(), lines: missing, msg })}\n`
      missing = 0
    }
    return chunk
  }
  const writeNext = (): void => {
    pending = next().length > 0
    if (!pending) return
    isWriting = true
    write(fd, chunk, 0, Math.min(chunk.length, WRITE_BYTES), null, (error, bytes) => {
      isWriting = false
      chunk = chunk.subarray(bytes)
      if (!error) writeNext()
      else if (error.code === 'EPIPE') isOver = true
      // the pipe is full (EAGAIN), the disk is full, …
      else setTimeout(writeNext, RETRY_MS).unref()
    })
  }
  const flush = (): void => {
    if (isWriting) chunk = chunk.subarray(WRITE_BYTES) // the write in flight
    for (let tries = RETRIES_AT_EXIT; !isOver && tries > 0 && next().length > 0;) {
      try {
        chunk = chunk.subarray(writeSync(fd, chunk))
      } catch (error) {
        isOver = (error as NodeJS.ErrnoException).code !== 'EAGAIN'
        tries -= 1
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
    }
  }
  process.once('exit', flush)

  return {
    write: (line) => {
      if (isOver || missing > 0 || buffered.length + line.length > MAX_BUFFERED) {
        dropped += 1
        missing += 1
        return
      }
      buffered += line
      if (pending) return
      pending = true
      setImmediate(writeNext) // with the other lines of this tick
    },
  }
}
