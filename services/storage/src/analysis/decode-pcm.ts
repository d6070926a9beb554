import { codingOf, FORMAT_BYTES, isUnknownSize, largeSize, wavFormat } from '../domain/audio/wav.ts'
import { MAX_CHANNELS } from '../domain/audio/limits.ts'
import type { Decoded } from './decoded.ts'

interface Layout {
  readonly channels: number
  readonly sampleRate: number
  readonly sampleBytes: number
  readonly frameBytes: number
  readonly read: (bytes: Buffer, at: number) => number
}

const NOTHING: Decoded = { channelData: [], samplesDecoded: 0, sampleRate: 0 }

/** What a WAV file holds uncompressed; other codings decode to nothing. */
export function pcmDecoder() {
  let layout: Layout | null = null
  let inData = false
  let dataLeft = 0
  let largeDataBytes: number | null = null
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
        dataLeft = isUnknownSize(size) ? (largeDataBytes ?? Infinity) : size
        return
      }
      if (name === 'fmt ' || name === 'ds64') {
        const content = kept.subarray(8, 8 + Math.min(size, FORMAT_BYTES))
        if (content.length < Math.min(size, FORMAT_BYTES)) return
        if (name === 'fmt ') layout = layoutOf(content)
        else largeDataBytes = largeSize(content)
      }
      skip = 8 + size + (size % 2)
    }
  }

  return {
    ready: Promise.resolve(),
    free: () => {},
    decode: (bytes: Uint8Array): Decoded => {
      // of a coding that is not PCM, and behind the data, nothing is kept
      if (inData && (!layout || dataLeft < layout.frameBytes)) return NOTHING
      kept = Buffer.concat([kept, bytes])
      if (!inData) findData()
      if (!inData || !layout) return NOTHING
      const { frameBytes } = layout
      const frames = Math.floor(Math.min(kept.length, dataLeft) / frameBytes)
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
  const format = wavFormat(chunk)
  const coding = format && codingOf(format)
  if (!coding || typeof coding === 'string' || format.channels > MAX_CHANNELS) return null
  const { channels, sampleRate } = format
  const { sampleBytes } = coding
  const read = READERS[`${coding.kind}/${sampleBytes}`]
  return read ? { channels, sampleRate, sampleBytes, frameBytes: sampleBytes * channels, read } : null
}

/** By coding and bytes a sample. */
const READERS: Readonly<Record<string, (bytes: Buffer, at: number) => number>> = {
  'integer/1': (bytes, at) => (bytes.readUInt8(at) - 128) / 128,
  'integer/2': (bytes, at) => bytes.readInt16LE(at) / 32_768,
  'integer/3': (bytes, at) => bytes.readIntLE(at, 3) / 8_388_608,
  'integer/4': (bytes, at) => bytes.readInt32LE(at) / 2_147_483_648,
  'float/4': (bytes, at) => bytes.readFloatLE(at),
  'a-law/1': (bytes, at) => aLaw(bytes.readUInt8(at)),
  'µ-law/1': (bytes, at) => muLaw(bytes.readUInt8(at)),
}

/** G.711. */
function aLaw(byte: number): number {
  const bits = byte ^ 0x55
  const exponent = (bits >> 4) & 7
  const size = ((bits & 15) << 4) + (exponent === 0 ? 8 : 0x108)
  return ((bits & 0x80) === 0 ? -1 : 1) * ((size << Math.max(0, exponent - 1)) / 32_768)
}

function muLaw(byte: number): number {
  const bits = ~byte & 0xff
  const size = ((((bits & 15) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84
  return ((bits & 0x80) === 0 ? 1 : -1) * (size / 32_768)
}
