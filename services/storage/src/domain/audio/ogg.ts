import { type Bytes, flaw, type Verdict } from './bytes.ts'
import { tooManyTags } from './limits.ts'

const HEAD_BYTES = 27
const OPUS_RATE = 48_000

interface Stream {
  readonly sampleRate: number
  readonly skippedSamples: number
  granule: number
  ended: boolean
}

/** Vorbis or Opus in Ogg: pages to the last byte, and every stream says that it has ended. */
export async function readOgg(bytes: Bytes): Promise<Verdict> {
  const streams = new Map<number, Stream | null>()
  let durationMs = 0
  let hasSound = false
  let offset = 0
  while (offset < bytes.size) {
    const head = await bytes.at(offset, HEAD_BYTES)
    if (head.length < HEAD_BYTES || head.toString('latin1', 0, 4) !== 'OggS') return flaw('a page is missing')
    const segments = await bytes.at(offset + HEAD_BYTES, head[26] ?? 0)
    const contentAt = offset + HEAD_BYTES + segments.length
    const contentBytes = segments.reduce((sum, size) => sum + size, 0)
    if (contentAt + contentBytes > bytes.size) return flaw('the last page is cut')
    const flags = head[5] ?? 0
    const serial = head.readUInt32LE(14)
    if ((flags & 2) !== 0) {
      const stream = streamOf(await bytes.at(contentAt, Math.min(contentBytes, 64)))
      if (stream === 'other') return flaw('it holds something else than Vorbis or Opus')
      streams.set(serial, stream)
    }
    const stream = streams.get(serial)
    const granule = head.readBigInt64LE(6)
    if (stream && granule > 0n) {
      stream.granule = Number(granule)
      hasSound = true
    }
    const excess = hasSound ? null : tooManyTags(contentAt + contentBytes)
    if (excess) return flaw(excess)
    if (stream && (flags & 4) !== 0) {
      stream.ended = true
      durationMs += (Math.max(0, stream.granule - stream.skippedSamples) / stream.sampleRate) * 1000
    }
    offset = contentAt + contentBytes
  }
  const audio = [...streams.values()].filter((stream) => stream !== null)
  if (audio.length === 0) return flaw('it holds no audio')
  if (audio.some(({ ended }) => !ended)) return flaw('its end is missing')
  return {
    durationMs: Math.round(durationMs),
    sampleRate: Math.max(...audio.map(({ sampleRate }) => sampleRate)),
  }
}

/** Null for a skeleton, which only describes the others. */
function streamOf(packet: Buffer): Stream | 'other' | null {
  const begun = { granule: 0, ended: false }
  if (packet.length >= 16 && packet.toString('latin1', 0, 7) === '\u0001vorbis') {
    const sampleRate = packet.readUInt32LE(12)
    return sampleRate > 0 ? { sampleRate, skippedSamples: 0, ...begun } : 'other'
  }
  if (packet.length >= 12 && packet.toString('latin1', 0, 8) === 'OpusHead')
    return { sampleRate: OPUS_RATE, skippedSamples: packet.readUInt16LE(10), ...begun }
  return packet.toString('latin1', 0, 7) === 'fishead' ? null : 'other'
}
