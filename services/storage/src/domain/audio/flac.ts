import { type Bytes, flaw, millisecondsOf, type Verdict } from './bytes.ts'
import { tooManyTags } from './limits.ts'
import { skipTrailingTags } from './tags.ts'

const MIN_TAIL_BYTES = 64 * 1024
const MAX_TAIL_BYTES = 4 * 1024 * 1024
/** Sound looks like the header of a frame about once in 8 MiB; each such place costs a checksum to the end. */
const MAX_HEADERS = 16

interface StreamInfo {
  readonly blockSamples: number
  readonly maxFrameBytes: number
  readonly sampleRate: number
  readonly channels: number
  /** 0 when unknown. */
  readonly totalSamples: number
}

/** The file is whole when its last frame is (its checksum says so) and ends at the announced last sample. */
export async function readFlac(bytes: Bytes, start: number): Promise<Verdict> {
  let offset = start + 4
  let info: StreamInfo | null = null
  for (let last = false; !last;) {
    const head = await bytes.at(offset, 4)
    if (head.length < 4) return flaw('Its metadata is cut.')
    const size = head.readUIntBE(1, 3)
    if (((head[0] ?? 0) & 0x7f) === 0) info = streamInfo(await bytes.at(offset + 4, 34))
    last = ((head[0] ?? 0) & 0x80) !== 0
    offset += 4 + size
    const excess = tooManyTags(offset)
    if (excess) return flaw(excess)
  }
  if (!info) return flaw('It has no stream information.')
  const end = await skipTrailingTags(bytes, offset)
  const excess = tooManyTags(offset + bytes.size - end)
  if (excess) return flaw(excess)
  const tailBytes = Math.min(
    end - offset,
    MAX_TAIL_BYTES,
    Math.max(MIN_TAIL_BYTES, info.maxFrameBytes * 2 + 64),
  )
  if (tailBytes <= 0) return flaw('It holds no sound.')
  const samples = lastSample(await bytes.at(end - tailBytes, tailBytes), info)
  if (samples === null) return flaw('Its last frame is cut.')
  if (info.totalSamples > 0 && samples < info.totalSamples)
    return flaw(`It is cut: ${samples} samples of ${info.totalSamples} are there.`)
  const { sampleRate, channels } = info
  return { format: 'flac', durationMs: millisecondsOf(samples, sampleRate), sampleRate, channels }
}

export function streamInfo(block: Buffer): StreamInfo | null {
  if (block.length < 34) return null
  const packed = block.readBigUInt64BE(10)
  const sampleRate = Number(packed >> 44n)
  if (sampleRate === 0) return null
  return {
    blockSamples: block.readUInt16BE(2),
    maxFrameBytes: block.readUIntBE(7, 3),
    sampleRate,
    channels: Number((packed >> 41n) & 7n) + 1,
    totalSamples: Number(packed & 0xfffffffffn),
  }
}

/** How many samples there are at the end of the frame that ends with `tail`, or null when no whole frame does. */
function lastSample(tail: Buffer, info: StreamInfo): number | null {
  let tries = MAX_HEADERS
  for (let i = tail.length - 6; i >= 0 && tries > 0; i--) {
    if (tail[i] !== 0xff || ((tail[i + 1] ?? 0) & 0xfe) !== 0xf8) continue
    const header = frameHeader(tail.subarray(i), info)
    if (header === null) continue
    tries--
    if (crc16(tail.subarray(i)) === 0) return header
  }
  return null
}

/** The first sample behind the frame, or null when this is no frame header. */
function frameHeader(frame: Buffer, info: StreamInfo): number | null {
  const variable = ((frame[1] ?? 0) & 1) === 1
  const number = codedNumber(frame, 4)
  if (!number) return null
  const blockCode = (frame[2] ?? 0) >> 4
  const rateCode = (frame[2] ?? 0) & 15
  let at = 4 + number.bytes
  let samples: number
  if (blockCode === 6) samples = (frame[at] ?? 0) + 1
  else if (blockCode === 7) samples = ((frame[at] ?? 0) << 8) + (frame[at + 1] ?? 0) + 1
  else samples = fixedBlock(blockCode)
  at += blockCode === 6 ? 1 : blockCode === 7 ? 2 : 0
  at += rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0
  if (samples === 0 || rateCode === 15 || crc8(frame.subarray(0, at)) !== frame[at]) return null
  return (variable ? number.value : number.value * info.blockSamples) + samples
}

const fixedBlock = (code: number): number =>
  code === 1 ? 192 : code >= 2 && code <= 5 ? 576 << (code - 2) : code >= 8 ? 256 << (code - 8) : 0

/** UTF-8's scheme, up to 36 bits. */
function codedNumber(frame: Buffer, at: number): { value: number; bytes: number } | null {
  const first = frame[at] ?? 0
  if (first < 0x80) return { value: first, bytes: 1 }
  const bytes = Math.clz32(~first << 24)
  if (bytes < 2 || bytes > 7) return null
  let value = first & (0x7f >> bytes)
  for (let i = 1; i < bytes; i++) {
    const next = frame[at + i] ?? 0
    if ((next & 0xc0) !== 0x80) return null
    value = value * 64 + (next & 0x3f)
  }
  return { value, bytes }
}

const crc = (polynomial: number, bits: 8 | 16) => {
  const top = 1 << (bits - 1)
  const mask = 2 ** bits - 1
  const table = Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (bits - 8)
    for (let i = 0; i < 8; i++)
      value = (value & top) !== 0 ? ((value << 1) ^ polynomial) & mask : (value << 1) & mask
    return value
  })
  return (bytes: Buffer): number => {
    let value = 0
    for (const byte of bytes) value = ((value << 8) & mask) ^ (table[(value >> (bits - 8)) ^ byte] ?? 0)
    return value
  }
}

const crc8 = crc(0x07, 8)
const crc16 = crc(0x8005, 16)
