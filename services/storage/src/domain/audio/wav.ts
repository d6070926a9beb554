import { type Bytes, flaw, millisecondsOf, slice, unplayable, type Verdict } from './bytes.ts'
import { MAX_CHUNKS, tooManyTags } from './limits.ts'
import { readMp3 } from './mp3.ts'
import { MAX_STRAY_BYTES, skipTrailingTags } from './tags.ts'

/** Of a chunk. */
const NAME = /^[\x20-\x7e]{4}$/

/** RIFF/WAVE, also its 64-bit forms: the data must be there to its last byte, and chunks follow it. */
export async function readWav(bytes: Bytes, start: number): Promise<Verdict> {
  const end = await skipTrailingTags(bytes, start)
  let format: WavFormat | null = null
  let data: { at: number; size: number } | null = null
  let largeDataBytes: number | null = null
  let offset = start + 12
  for (let chunks = 0; offset + 8 <= end; chunks++) {
    if (chunks > MAX_CHUNKS) return flaw('It has too many chunks.')
    const head = await bytes.at(offset, 8)
    const name = head.toString('latin1', 0, 4)
    let size = head.readUInt32LE(4)
    if (!NAME.test(name)) {
      if (data && end - offset <= MAX_STRAY_BYTES) break
      return flaw('It is not made of chunks.')
    }
    if (name === 'fmt ') format = wavFormat(await bytes.at(offset + 8, FORMAT_BYTES))
    if (name === 'ds64') largeDataBytes = largeSize(await bytes.at(offset + 8, 16))
    if (name === 'data') {
      if (isUnknownSize(size)) size = largeDataBytes ?? end - offset - 8
      data = { at: offset + 8, size }
    }
    if (offset + 8 + size > end) return flaw(`It is cut: the chunk "${name}" is not whole.`)
    offset += 8 + size
    // a pad byte, which some writers leave out behind the data
    if (size % 2 === 1 && !(data && NAME.test((await bytes.at(offset, 4)).toString('latin1')))) offset++
    const excess = tooManyTags(offset - (data?.size ?? 0))
    if (excess) return flaw(excess)
  }
  if (!format || !data) return flaw('It has no format or no data.')
  const { sampleRate, channels } = format
  const coding = codingOf(format)
  if (coding === MP3) return readMp3InWav(bytes, data)
  if (typeof coding === 'string') return unplayable('WAV', coding)
  const durationMs = millisecondsOf(data.size / (channels * coding.sampleBytes), sampleRate)
  return { format: 'wav', durationMs, sampleRate, channels }
}

async function readMp3InWav(bytes: Bytes, { at, size }: { at: number; size: number }): Promise<Verdict> {
  const verdict = await readMp3(slice(bytes, at, size), 0)
  return 'flaw' in verdict ? verdict : { ...verdict, format: 'wav' }
}

/** What writers leave that cannot seek back: nothing, or a size that no file has. The data goes to the end. */
export const isUnknownSize = (size: number): boolean => size === 0 || size >= 0x7fff0000

/** Of the data, in a file of 64 bits. Null where that is not known either. */
export function largeSize(chunk: Buffer): number | null {
  const size = chunk.length < 16 ? 0 : Number(chunk.readBigUInt64LE(8))
  return size === 0 ? null : size
}

/** Of a format chunk, the bytes that are read. */
export const FORMAT_BYTES = 26
const EXTENSIBLE = 0xfffe

interface WavFormat {
  readonly tag: number
  readonly channels: number
  readonly sampleRate: number
  readonly frameBytes: number
  /** Of the space that a sample takes. */
  readonly bits: number
  /** Of those, what is used. */
  readonly validBits: number
}

/** Null where nothing can be played by it. The bytes a second are not read: some programs write nonsense there. */
export function wavFormat(chunk: Buffer): WavFormat | null {
  if (chunk.length < 16) return null
  const isExtended = chunk.readUInt16LE(0) === EXTENSIBLE && chunk.length >= FORMAT_BYTES
  const bits = chunk.readUInt16LE(14)
  const format = {
    tag: chunk.readUInt16LE(isExtended ? 24 : 0),
    channels: chunk.readUInt16LE(2),
    sampleRate: chunk.readUInt32LE(4),
    frameBytes: chunk.readUInt16LE(12),
    bits,
    validBits: (isExtended && chunk.readUInt16LE(18)) || bits,
  }
  return format.channels > 0 && format.sampleRate > 0 ? format : null
}

interface Pcm {
  readonly kind: 'integer' | 'float' | 'a-law' | 'µ-law'
  readonly sampleBytes: number
}

const MP3 = 'MP3'
const NAMES: Readonly<Record<number, string>> = {
  0x02: 'Microsoft ADPCM',
  0x11: 'IMA ADPCM',
  0x20: 'Yamaha ADPCM',
  0x31: 'GSM 6.10',
  0x50: 'MPEG Layer I or II',
  0x55: MP3,
  0x92: 'Dolby Digital (AC-3)',
  0xff: 'AAC',
  0x160: 'Windows Media Audio',
  0x161: 'Windows Media Audio',
  0x162: 'Windows Media Audio Professional',
  0x163: 'Windows Media Audio Lossless',
  0x2000: 'Dolby Digital (AC-3)',
  0x2001: 'DTS',
}

/** What Chromium and Firefox play, else the name of the coding. */
export function codingOf({ tag, channels, bits, validBits, frameBytes }: WavFormat): Pcm | string {
  const sampleBytes = bits / 8
  const isTight = Math.ceil(validBits / 8) === sampleBytes && frameBytes <= channels * sampleBytes
  if (tag === 1)
    return isTight && [8, 16, 24, 32].includes(bits)
      ? { kind: 'integer', sampleBytes }
      : `samples of ${validBits} bits in ${frameBytes / channels} bytes`
  if (tag === 3)
    return isTight && bits === 32 ? { kind: 'float', sampleBytes } : `floating-point samples of ${bits} bits`
  if ((tag === 6 || tag === 7) && bits === 8) return { kind: tag === 6 ? 'a-law' : 'µ-law', sampleBytes }
  return NAMES[tag] ?? `the coding 0x${tag.toString(16)}`
}
