import { write, writeSync } from 'node:fs'

/** Characters that may wait for a reader. */
const ROOM = 8 * 1024 * 1024
const PIECE_BYTES = 64 * 1024
const AGAIN_MS = 10
const LAST_TRIES = 100

let dropped = 0
/** Lines of this process that found no room. */
export const droppedLines = (): number => dropped

export interface Output {
  write(line: string): void
}

let output: Output | undefined
/**
 * Standard output as a log needs it: a line never waits for whoever reads, and nothing that befalls the reader ends the
 * process. What nobody reads waits, up to `ROOM`; what is beyond is dropped, counted, and told in the log itself. The end
 * of the process waits a second for a reader, not for ever.
 */
export const standardOutput = (): Output => (output ??= outputTo(process.stdout.fd))

function outputTo(fd: number): Output {
  let waiting = ''
  let missing = 0
  let piece = Buffer.alloc(0)
  let pending = false
  let isWriting = false
  let isOver = false

  /** The next piece to write; empty when all is written. */
  const next = (): Buffer => {
    if (piece.length > 0) return piece
    piece = Buffer.from(waiting)
    waiting = ''
    if (missing > 0) {
      const msg = 'log lines dropped: they were not read'
      waiting = `${JSON.stringify({ level: 40, time: Date.now(), lines: missing, msg })}\n`
      missing = 0
    }
    return piece
  }
  const writeOn = (): void => {
    pending = next().length > 0
    if (!pending) return
    isWriting = true
    write(fd, piece, 0, Math.min(piece.length, PIECE_BYTES), null, (error, bytes) => {
      isWriting = false
      piece = piece.subarray(bytes)
      if (!error) writeOn()
      else if (error.code === 'EPIPE') isOver = true
      // nobody reads (EAGAIN), the disk is full, …
      else setTimeout(writeOn, AGAIN_MS).unref()
    })
  }
  const writeLast = (): void => {
    if (isWriting) piece = piece.subarray(PIECE_BYTES) // the system has it
    for (let tries = LAST_TRIES; !isOver && tries > 0 && next().length > 0;) {
      try {
        piece = piece.subarray(writeSync(fd, piece))
      } catch (error) {
        isOver = (error as NodeJS.ErrnoException).code !== 'EAGAIN'
        tries -= 1
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS)
      }
    }
  }
  process.once('exit', writeLast)

  return {
    write: (line) => {
      if (isOver || missing > 0 || waiting.length + line.length > ROOM) {
        dropped += 1
        missing += 1
        return
      }
      waiting += line
      if (pending) return
      pending = true
      setImmediate(writeOn) // with what else is said in this turn
    },
  }
}
