import { type Bytes, flaw, playsFor, type Verdict } from './bytes.ts'
import { MAX_CHUNKS, tooManyTags } from './limits.ts'

/** What a writer that cannot seek back leaves as a length. */
const UNKNOWN = 0xffffffff
/** Padding behind the chunks that some writers leave. */
const MAX_STRAY_BYTES = 64 * 1024

interface Format {
  readonly bytesPerSecond: number
  readonly sampleRate: number
}

/** RIFF/WAVE: the data chunk must be there to its last byte, and nothing but chunks may follow. */
export async function readWav(bytes: Bytes): Promise<Verdict> {
  let format: Format | null = null
  let dataBytes: number | null = null
  let offset = 12
  for (let chunks = 0; offset + 8 <= bytes.size; chunks++) {
    if (chunks > MAX_CHUNKS) return flaw('it has too many chunks')
    const head = await bytes.at(offset, 8)
    const name = head.toString('latin1', 0, 4)
    let size = head.readUInt32LE(4)
    if (name === 'fmt ') format = formatOf(await bytes.at(offset + 8, 16))
    if (name === 'data') {
      if (size === UNKNOWN) size = bytes.size - offset - 8
      dataBytes = size
    }
    if (!/^[\x20-\x7e]{4}$/.test(name)) {
      if (dataBytes !== null && bytes.size - offset <= MAX_STRAY_BYTES) break
      return flaw('it is not made of chunks')
    }
    if (offset + 8 + size > bytes.size) return flaw(`the chunk "${name}" is cut`)
    offset += 8 + size + (size % 2)
    const excess = tooManyTags(offset - (dataBytes ?? 0))
    if (excess) return flaw(excess)
  }
  if (!format || dataBytes === null) return flaw('it has no format or no data')
  return { ...playsFor(dataBytes, format.bytesPerSecond), sampleRate: format.sampleRate }
}

function formatOf(chunk: Buffer): Format | null {
  if (chunk.length < 16) return null
  const bytesPerSecond = chunk.readUInt32LE(8)
  const sampleRate = chunk.readUInt32LE(4)
  return bytesPerSecond > 0 && sampleRate > 0 && chunk.readUInt16LE(2) > 0
    ? { bytesPerSecond, sampleRate }
    : null
}
