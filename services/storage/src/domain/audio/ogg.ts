import CodecParser, { type OggPage } from 'codec-parser'
import { type Bytes, flaw, type FormatName, millisecondsOf, unplayable, type Verdict } from './bytes.ts'
import { streamInfo } from './flac.ts'
import { tooManyTags } from './limits.ts'
import { MAX_STRAY_BYTES, skipTrailingTags } from './tags.ts'

const HEAD_BYTES = 27
/** Of a first packet, the bytes that are read. */
const PACKET_BYTES = 64
const OPUS_RATE = 48_000
/** In samples, thousands of years: far beyond it Chromium plays nothing. */
const MAX_GRANULE = Number.MAX_SAFE_INTEGER
/** Recordings that were joined; each gets a decoder of its own. */
const MAX_STREAMS = 1_000

interface Stream {
  readonly serial: number
  readonly format: FormatName
  readonly sampleRate: number
  readonly channels: number
  hasSound: boolean
}

/**
 * Vorbis, Opus or FLAC in Ogg, one stream after another: pages to the last byte. The end may be unmarked, as in recordings of a
 * stream. The length is that of the packets: positions begin anywhere where a live stream was recorded.
 */
export async function readOgg(bytes: Bytes, start: number): Promise<Verdict> {
  const end = await skipTrailingTags(bytes, start)
  const links: Stream[] = []
  const parser = new CodecParser<OggPage>('audio/ogg', { enableFrameCRC32: false })
  let samples = 0
  const count = (pages: Iterator<OggPage>): void => {
    for (const { codecFrames } of Iterator.from(pages))
      for (const frame of codecFrames) samples += frame.samples
  }
  let hasSound = false
  let offset = start
  while (offset < end) {
    const head = await bytes.at(offset, HEAD_BYTES)
    if (head.toString('latin1', 0, 4) !== 'OggS') {
      if (hasSound && end - offset <= MAX_STRAY_BYTES && !'OggS'.startsWith(head.toString('latin1', 0, 4)))
        break
      return flaw('It is cut: a page is missing.')
    }
    if (head.length < HEAD_BYTES) return flaw('Its last page is cut.')
    const segments = await bytes.at(offset + HEAD_BYTES, head[26] ?? 0)
    const contentAt = offset + HEAD_BYTES + segments.length
    const contentBytes = segments.reduce((sum, size) => sum + size, 0)
    if (contentAt + contentBytes > end) return flaw('Its last page is cut.')
    const serial = head.readUInt32LE(14)
    if (((head[5] ?? 0) & 2) !== 0) {
      const begun = streamOf(await bytes.at(contentAt, Math.min(contentBytes, PACKET_BYTES)), serial)
      if (typeof begun === 'string') return unplayable('OGG', begun)
      const before = links.at(-1)
      if (begun && before && !isContinued(before, begun))
        return flaw('It holds several recordings, of which browsers play one.')
      if (begun && links.push(begun) > MAX_STREAMS) return flaw('It has too many streams.')
    }
    const granule = head.readBigInt64LE(6)
    if (granule > MAX_GRANULE) return flaw('It has a position that browsers cannot play from.')
    const stream = links.at(-1)
    if (stream?.serial === serial && granule > 0) hasSound = stream.hasSound = true
    count(parser.parseChunk(await bytes.at(offset, contentAt + contentBytes - offset)))
    const excess = hasSound ? null : tooManyTags(contentAt + contentBytes)
    if (excess) return flaw(excess)
    offset = contentAt + contentBytes
  }
  count(parser.flush())
  const [first] = links
  if (!first || !hasSound) return flaw('It holds no sound.')
  const { format, channels, sampleRate } = first
  return { format, durationMs: millisecondsOf(samples, sampleRate), sampleRate, channels }
}

/** Whether Chromium and Firefox play the next stream where this one ends. */
const isContinued = (stream: Stream, next: Stream): boolean =>
  stream.hasSound &&
  stream.serial !== next.serial &&
  stream.format !== 'oggflac' &&
  stream.format === next.format &&
  stream.channels === next.channels &&
  stream.sampleRate === next.sampleRate

/** Null for a skeleton, which only describes the others; the name of what browsers do not play. */
function streamOf(packet: Buffer, serial: number): Stream | string | null {
  const name = packet.toString('latin1', 0, 8)
  const begun = { serial, hasSound: false }
  if (name.startsWith('\u0001vorbis') && packet.length >= 16) {
    const sampleRate = packet.readUInt32LE(12)
    return sampleRate > 0 ? { format: 'ogg', sampleRate, channels: packet[11] ?? 0, ...begun } : 'no Vorbis'
  }
  if (name === 'OpusHead' && packet.length >= 12) {
    return { format: 'opus', sampleRate: OPUS_RATE, channels: packet[9] ?? 0, ...begun }
  }
  if (name.startsWith('\u007fFLAC')) {
    const info = streamInfo(packet.subarray(17))
    return info ? { format: 'oggflac', ...info, ...begun } : 'no FLAC'
  }
  if (name.startsWith('fishead')) return null
  return OTHERS.find(([magic]) => name.startsWith(magic))?.[1] ?? 'an unknown coding'
}

const OTHERS: readonly (readonly [magic: string, name: string])[] = [
  ['Speex', 'Speex'],
  ['CELT', 'CELT'],
  ['PCM', 'uncompressed sound'],
  ['\u0080theora', 'video'],
  ['OVP80', 'video'],
  ['BBCD', 'video'],
]
