import { type FileHandle, open } from 'node:fs/promises'
import type { Bytes } from './domain/audio/bytes.ts'

const WINDOW_BYTES = 256 * 1024

/** What `read` makes of a file that is open meanwhile. */
export async function withBytes<T>(path: string, read: (bytes: Bytes) => Promise<T>): Promise<T> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    return await read(bytesOf(file, size))
  } finally {
    await file.close()
  }
}

/** Caches the beginning, and the last window: readers mostly go forward, in small steps. */
function bytesOf(file: FileHandle, size: number): Bytes {
  const read = async (from: number, length: number): Promise<Window> => {
    const wanted = Math.max(0, Math.min(length, size - from))
    const buffer = Buffer.allocUnsafe(wanted)
    const { bytesRead } = wanted > 0 ? await file.read(buffer, 0, wanted, from) : { bytesRead: 0 }
    return { from, bytes: buffer.subarray(0, bytesRead) }
  }
  let head: Window | undefined
  let last: Window | undefined
  return {
    size,
    at: async (offset, length) => {
      head ??= await read(0, WINDOW_BYTES)
      const end = Math.min(offset + length, size)
      let window = [head, last].find((one) => one && offset >= one.from && end <= one.from + one.bytes.length)
      window ??= last = await read(offset, Math.max(length, WINDOW_BYTES))
      return window.bytes.subarray(offset - window.from, offset - window.from + length)
    },
  }
}

interface Window {
  readonly from: number
  readonly bytes: Buffer
}
