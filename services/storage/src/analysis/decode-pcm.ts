import { MAX_CHANNELS } from '../domain/audio/limits.ts'
import type { Decoded } from './decoded.ts'

interface Layout {
  readonly channels: number
  readonly sampleRate: number
  readonly sampleBytes: number
  readonly read: (bytes: Buffer, at: number) => number
}

const EXTENSIBLE = 0xfffe
/** Of a format chunk, the bytes that are read. */
const FORMAT_BYTES = 26
const NOTHING: Decoded = { channelData: [], samplesDecoded: 0, sampleRate: 0 }

/** Integer and float PCM of a WAV file; other codings decode to nothing. */
export function pcmDecoder() {
  let layout: Layout | null = null
  let inData = false
  let dataLeft = 0
  /** Bytes that are not needed: first the file's header, then chunks. */
  let skip = 12
  let kept = Buffer.alloc(0)

  /** Goes through the chunks until the data begins. */
  const findData = (): void => {
    for (;;) {
      const skipped = Math.min(skip, kept.length)
      kept = kept.subarray(skipped)
      skip -= skipped
      if (skip > 0 || kept.length < 8) return
      const name = kept.toString('latin1', 0, 4)
      const size = kept.readUInt32LE(4)
      if (name === 'data') {
        kept = kept.subarray(8)
        inData = true
        dataLeft = size
        return
      }
      if (name === 'fmt ') {
        const end = 8 + Math.min(size, FORMAT_BYTES)
        if (kept.length < end) return
        layout = layoutOf(kept.subarray(8, end))
      }
      skip = 8 + size + (size % 2)
    }
  }

  return {
    ready: Promise.resolve(),
    free: () => {},
    decode: (bytes: Uint8Array): Decoded => {
      // a coding that is not PCM: nothing of it is kept
      if (inData && !layout) return NOTHING
      kept = Buffer.concat([kept, bytes])
      if (!inData) findData()
      if (!inData || !layout) return NOTHING
      const frameBytes = layout.sampleBytes * layout.channels
      const usable = Math.min(kept.length, dataLeft)
      const frames = Math.floor(usable / frameBytes)
      const decoded = deinterleave(kept, frames, layout)
      kept = kept.subarray(frames * frameBytes)
      dataLeft -= frames * frameBytes
      return decoded
    },
  }
}

function deinterleave(bytes: Buffer, frames: number, layout: Layout): Decoded {
  const { channels, sampleBytes, sampleRate, read } = layout
  const channelData = Array.from({ length: channels }, () => new Float32Array(frames))
  for (let frame = 0, at = 0; frame < frames; frame++)
    for (const samples of channelData) {
      samples[frame] = read(bytes, at)
      at += sampleBytes
    }
  return { channelData, samplesDecoded: frames, sampleRate }
}

function layoutOf(chunk: Buffer): Layout | null {
  if (chunk.length < 16) return null
  const tag = chunk.readUInt16LE(0)
  const coding = tag === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : tag
  const channels = chunk.readUInt16LE(2)
  const sampleBytes = chunk.readUInt16LE(12) / channels
  const read = READERS[`${coding}/${sampleBytes}`]
  return read && channels > 0 && channels <= MAX_CHANNELS
    ? { channels, sampleRate: chunk.readUInt32LE(4), sampleBytes, read }
    : null
}

/** By coding (1 integer, 3 float) and bytes a sample. */
const READERS: Readonly<Record<string, (bytes: Buffer, at: number) => number>> = {
  '1/1': (bytes, at) => (bytes.readUInt8(at) - 128) / 128,
  '1/2': (bytes, at) => bytes.readInt16LE(at) / 32_768,
  '1/3': (bytes, at) => bytes.readIntLE(at, 3) / 8_388_608,
  '1/4': (bytes, at) => bytes.readInt32LE(at) / 2_147_483_648,
  '3/4': (bytes, at) => bytes.readFloatLE(at),
  '3/8': (bytes, at) => bytes.readDoubleLE(at),
}
