/** The smallest writers of audio formats, which also write what no encoder would. */

const crcTable = (polynomial: number, bits: 8 | 16 | 32) => {
  const top = 2 ** (bits - 1)
  return Array.from({ length: 256 }, (_, byte) => {
    let value = byte * 2 ** (bits - 8)
    for (let i = 0; i < 8; i++) {
      const carry = value >= top
      value = (value * 2) % 2 ** bits
      if (carry) value = (value ^ polynomial) >>> 0
    }
    return value
  })
}

function crc(table: readonly number[], bits: 8 | 16 | 32) {
  return (bytes: Uint8Array): number => {
    let value = 0
    for (const byte of bytes) {
      const index = ((value >>> (bits - 8)) ^ byte) & 0xff
      value = ((((value << 8) >>> 0) % 2 ** bits) ^ (table[index] ?? 0)) >>> 0
    }
    return value
  }
}

const crc8 = crc(crcTable(0x07, 8), 8)
const crc16 = crc(crcTable(0x8005, 16), 16)
const crc32 = crc(crcTable(0x04c11db7, 32), 32)

export const uint = (bytes: number, value: number, order: 'BE' | 'LE' = 'BE'): Buffer => {
  const buffer = Buffer.alloc(bytes)
  if (order === 'BE') buffer.writeUIntBE(value, 0, bytes)
  else buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

export interface Flac {
  readonly frames: number
  /** Of one frame. */
  readonly samples: number
  readonly channels: number
  readonly rate: number
  /** What the stream information says instead of the truth. */
  readonly announced?: { readonly channels?: number; readonly totalSamples?: number }
  /** Bytes of metadata, so that the bitrate looks right. */
  readonly padding?: number
  /** Of the frames, in Hz, where it differs from the announced one. */
  readonly frameRate?: number
  /** 0: a constant subframe of silence; 2 is reserved, so that a decoder refuses the frame. */
  readonly subframe?: 0 | 2
}

/** 16-bit FLAC; checksums are right. */
export function flac(given: Flac): Buffer {
  const { frames, samples, channels, rate, announced = {}, padding = 0 } = given
  const info = Buffer.alloc(34)
  info.writeUInt16BE(samples, 0)
  info.writeUInt16BE(samples, 2)
  const total = BigInt(announced.totalSamples ?? frames * samples)
  const packed =
    (BigInt(rate) << 44n) | (BigInt((announced.channels ?? channels) - 1) << 41n) | (15n << 36n) | total
  info.writeBigUInt64BE(packed, 10)
  return Buffer.concat([
    Buffer.from('fLaC'),
    Buffer.from([0, 0, 0, 34]),
    info,
    Buffer.from([0x81]),
    uint(3, padding),
    Buffer.alloc(padding),
    ...Array.from({ length: frames }, (_, number) => flacFrame(number, given)),
  ])
}

function flacFrame(
  number: number,
  { samples, channels, rate, frameRate = rate, subframe = 0 }: Flac,
): Buffer {
  const hasRate = frameRate <= 0xffff
  const header = Buffer.concat([
    Buffer.from([0xff, 0xf8, 0x70 | (hasRate ? 13 : 0), ((channels - 1) << 4) | (4 << 1)]),
    codedNumber(number),
    uint(2, samples - 1),
    hasRate ? uint(2, frameRate) : Buffer.alloc(0),
  ])
  const subframes = Buffer.concat(Array.from({ length: channels }, () => Buffer.from([subframe << 1, 0, 0])))
  const frame = Buffer.concat([header, Buffer.from([crc8(header)]), subframes])
  return Buffer.concat([frame, uint(2, crc16(frame))])
}

/** UTF-8's scheme, up to 16 bits. */
const codedNumber = (value: number): Buffer =>
  value < 0x80
    ? Buffer.from([value])
    : value < 0x800
      ? Buffer.from([0xc0 | (value >> 6), 0x80 | (value & 63)])
      : Buffer.from([0xe0 | (value >> 12), 0x80 | ((value >> 6) & 63), 0x80 | (value & 63)])

export interface Wav {
  readonly channels?: number
  readonly rate?: number
  readonly bytesPerSecond?: number
  /** 1 integer, 3 float. */
  readonly coding?: number
  readonly bits?: number
  /** Between the format and the data. */
  readonly chunks?: Buffer
  readonly data: Buffer
}

export function wav({ channels = 1, rate = 8_000, coding = 1, bits = 8, ...given }: Wav): Buffer {
  const frameBytes = (channels * bits) / 8
  const format = Buffer.concat([
    uint(2, coding, 'LE'),
    uint(2, channels, 'LE'),
    uint(4, rate, 'LE'),
    uint(4, given.bytesPerSecond ?? Math.min(rate * frameBytes, 0xffffffff), 'LE'),
    uint(2, frameBytes & 0xffff, 'LE'),
    uint(2, bits, 'LE'),
  ])
  const chunks = [chunk('fmt ', format), given.chunks ?? Buffer.alloc(0), chunk('data', given.data)]
  const body = Buffer.concat([Buffer.from('WAVE'), ...chunks])
  return chunk('RIFF', body)
}

export const chunk = (name: string, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(name, 'latin1'), uint(4, content.length, 'LE'), content])

/** An ISO base media box. */
export const box = (name: string, content: Buffer): Buffer =>
  Buffer.concat([uint(4, content.length + 8), Buffer.from(name, 'latin1'), content])

/** ID3v2.3 with this content. */
export function id3(content: Buffer): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (content.length >> shift) & 0x7f)
  return Buffer.concat([Buffer.from('ID3\u0003\0\0', 'latin1'), Buffer.from(size), content])
}

/** Of an Ogg file. */
export function pagesOf(file: Buffer): Buffer[] {
  const pages: Buffer[] = []
  for (let offset = 0; offset < file.length;) {
    const segments = file[offset + 26] ?? 0
    const table = file.subarray(offset + 27, offset + 27 + segments)
    const end = offset + 27 + segments + table.reduce((sum, bytes) => sum + bytes, 0)
    pages.push(file.subarray(offset, end))
    offset = end
  }
  return pages
}

/** An Ogg file whose pages are changed; checksums are right. */
export function withPages(file: Buffer, change: (page: Buffer, number: number) => void): Buffer {
  const changed = Buffer.from(file)
  for (const [number, page] of pagesOf(changed).entries()) {
    change(page, number)
    page.writeUInt32LE(0, 22)
    page.writeUInt32LE(crc32(page), 22)
  }
  return changed
}

/** With the granule positions of its pages of sound replaced. */
export const withGranules = (file: Buffer, granuleOf: (page: number) => bigint): Buffer =>
  withPages(file, (page, number) => {
    if (page.readBigInt64LE(6) > 0n) page.writeBigInt64LE(granuleOf(number), 6)
  })

/** One page of Ogg. `flags`: 2 the first of its stream, 4 the last. */
export function oggPage(flags: number, page: number, granule: bigint, packets: readonly Buffer[]): Buffer {
  const table = packets.flatMap(({ length }) => [
    ...Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ])
  const head = Buffer.alloc(27)
  head.write('OggS')
  head[5] = flags
  head.writeBigInt64LE(granule, 6)
  head.writeUInt32LE(1, 14)
  head.writeUInt32LE(page, 18)
  head[26] = table.length
  const bytes = Buffer.concat([head, Buffer.from(table), ...packets])
  bytes.writeUInt32LE(crc32(bytes), 22)
  return bytes
}
