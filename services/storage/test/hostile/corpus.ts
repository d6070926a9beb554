import { readFileSync } from 'node:fs'
import { FIXTURES, type Fixture, plainMp3 } from '../fixtures.ts'
import { box, chunk, flac, id3, oggPage, uint, wav, withGranules, withPages } from './encode.ts'

/** Files made to exhaust a parser or decoder. Deterministic: the same files each time. */
export interface HostileFile {
  readonly name: string
  /** `any` where both would be right. */
  readonly verdict: 'refused' | 'taken' | 'any'
  readonly make: () => Buffer
}

const real = (name: Fixture): Buffer => readFileSync(new URL(`../fixtures/${name}`, import.meta.url))
const repeat = (bytes: Buffer, totalBytes: number): Buffer =>
  Buffer.alloc(totalBytes - (totalBytes % bytes.length), bytes)
const seconds = (count: number): Buffer => Buffer.alloc(8_000 * count, 128)
const MIB = 2 ** 20

const SILENCE = { samples: 65_535, channels: 8, rate: 44_100 }
const apeFooter = Buffer.concat([
  Buffer.from('APETAGEX'),
  uint(4, 2_000, 'LE'),
  uint(4, 32, 'LE'),
  Buffer.alloc(16),
])
const TINY_ID3_FRAME = Buffer.concat([Buffer.from('TXXX'), uint(4, 3), Buffer.from([0, 0, 0, 65, 0])])

const FLAC_FILES: readonly HostileFile[] = [
  { name: 'bomb of 54 KB.flac', verdict: 'refused', make: () => flac({ ...SILENCE, frames: 1_540 }) },
  // 210 MB of samples
  {
    name: 'bomb of 23 KB.flac',
    verdict: 'taken',
    make: () => flac({ ...SILENCE, frames: 100, padding: 20_000 }),
  },
  {
    name: 'bomb that says it is mono.flac',
    verdict: 'taken',
    make: () => flac({ ...SILENCE, frames: 100, padding: 10_000, announced: { channels: 1 } }),
  },
  {
    name: 'frames that the decoder refuses.flac',
    verdict: 'any',
    make: () => flac({ samples: 4_096, channels: 2, rate: 44_100, frames: 3_000, subframe: 2 }),
  },
  {
    name: 'frames of 1 Hz.flac',
    verdict: 'any',
    make: () => flac({ samples: 4_096, channels: 2, rate: 44_100, frames: 200, frameRate: 1 }),
  },
  { name: 'rate of 1 Hz.flac', verdict: 'refused', make: () => flac({ ...SILENCE, frames: 4, rate: 1 }) },
  {
    name: 'rate of 655 kHz.flac',
    verdict: 'refused',
    make: () => flac({ ...SILENCE, frames: 40, rate: 655_350 }),
  },
  {
    name: 'more samples announced than there are.flac',
    verdict: 'refused',
    make: () => flac({ ...SILENCE, frames: 10, announced: { totalSamples: 2 ** 36 - 1 } }),
  },
  {
    // a header of a frame every ten bytes: a checksum to the end for each of them would be quadratic
    name: 'nothing but frame headers.flac',
    verdict: 'refused',
    make: () => {
      const info = flac({ ...SILENCE, frames: 0, announced: { totalSamples: 0 } })
      info.writeUIntBE(0xffffff, 8 + 7, 3) // the largest frame
      const frame = flac({ ...SILENCE, samples: 4_096, channels: 1, frames: 1 }).subarray(info.length)
      return Buffer.concat([info, repeat(frame.subarray(0, 10), 5 * MIB), Buffer.from([1])])
    },
  },
  {
    name: '32 MB of metadata.flac',
    verdict: 'refused',
    make: () => {
      const whole = flac({ ...SILENCE, channels: 1, frames: 4 })
      const padding = Buffer.concat([Buffer.from([1]), uint(3, 2 ** 24 - 1), Buffer.alloc(2 ** 24 - 1)])
      return Buffer.concat([whole.subarray(0, 42), padding, padding, whole.subarray(42)])
    },
  },
]

const MP3_FILES: readonly HostileFile[] = [
  {
    name: '50 MB of tiny ID3 frames.mp3',
    verdict: 'refused',
    make: () => Buffer.concat([id3(repeat(TINY_ID3_FRAME, 50 * MIB)), plainMp3(200)]),
  },
  {
    name: '15 MB of tiny ID3 frames.mp3',
    verdict: 'any',
    make: () => Buffer.concat([id3(repeat(TINY_ID3_FRAME, 15 * MIB)), plainMp3(200)]),
  },
  {
    name: 'a million ID3 tags.mp3',
    verdict: 'any',
    make: () => Buffer.concat([repeat(id3(Buffer.alloc(0)), 10 * MIB), plainMp3(200)]),
  },
  {
    name: 'half a million tags behind.mp3',
    verdict: 'refused',
    make: () => Buffer.concat([plainMp3(200), repeat(apeFooter, 16_000_000)]),
  },
  {
    name: 'an ID3 tag of 256 MB that is not there.mp3',
    verdict: 'refused',
    make: () =>
      Buffer.concat([Buffer.from('ID3\u0003\0\0\u007f\u007f\u007f\u007f', 'latin1'), plainMp3(200)]),
  },
  {
    name: 'eight hours of silence.mp3',
    verdict: 'refused',
    make: () => {
      const frame = Buffer.alloc(24)
      frame.writeUInt32BE(0xfff31400, 0) // MPEG-2, 8 kbit/s, 24 kHz: 24 ms in 24 bytes
      return repeat(frame, 28_800_000)
    },
  },
  {
    name: 'a Xing header of four billion frames.mp3',
    verdict: 'refused',
    make: () => {
      const file = plainMp3(200)
      file.write('Xing\0\0\0\u0001', 36, 'latin1')
      file.writeUInt32BE(0xffffffff, 44)
      return file
    },
  },
]

const WAV_FILES: readonly HostileFile[] = [
  {
    name: 'a million empty chunks.wav',
    verdict: 'any',
    make: () => wav({ chunks: repeat(chunk('junk', Buffer.alloc(0)), 8_000_000), data: seconds(2) }),
  },
  {
    name: '20 MB before the data.wav',
    verdict: 'refused',
    make: () => wav({ chunks: chunk('junk', Buffer.alloc(20 * MIB)), data: seconds(2) }),
  },
  {
    name: '15 MB before the data.wav',
    verdict: 'taken',
    make: () => wav({ chunks: chunk('junk', Buffer.alloc(15 * MIB)), data: seconds(2) }),
  },
  ...[0, 9, 65_535].map((channels): HostileFile => ({
    name: `${channels} channels.wav`,
    verdict: 'refused',
    make: () => wav({ channels, bytesPerSecond: 8_000, data: seconds(5) }),
  })),
  ...[0, 1, 7_999, 384_001, 4_294_967_295].map((rate): HostileFile => ({
    name: `a rate of ${rate} Hz.wav`,
    verdict: 'refused',
    make: () => wav({ rate, bytesPerSecond: 8_000, data: seconds(5) }),
  })),
  ...[0, 1, 4_294_967_295].map((bytesPerSecond): HostileFile => ({
    name: `${bytesPerSecond} bytes a second.wav`,
    verdict: 'taken',
    make: () => wav({ bytesPerSecond, data: seconds(5) }),
  })),
  {
    name: 'infinite samples.wav',
    verdict: 'taken',
    make: () => wav({ coding: 3, bits: 32, data: repeat(uint(4, 0x7f800000, 'LE'), 128_000) }),
  },
  {
    name: 'samples that are no numbers.wav',
    verdict: 'taken',
    make: () => wav({ coding: 3, bits: 32, data: repeat(uint(4, 0x7fc00000, 'LE'), 128_000) }),
  },
]

const nested = (depth: number): Buffer => {
  const heads = Array.from({ length: depth }, (_, i) =>
    Buffer.concat([uint(4, (depth - i) * 8), Buffer.from(['trak', 'mdia', 'minf', 'stbl'][i % 4] ?? '')]),
  )
  return Buffer.concat(heads)
}

/** The tone with fields of one of its boxes replaced: offsets count from the name of the box. */
const patched = (name: string, fields: Record<number, number>): Buffer => {
  const file = Buffer.from(real('tone.m4a'))
  const at = file.indexOf(name)
  for (const [offset, value] of Object.entries(fields)) file.writeUInt32BE(value, at + Number(offset))
  return file
}

const MP4_FILES: readonly HostileFile[] = [
  {
    name: 'a hundred thousand boxes in each other.m4a',
    verdict: 'refused',
    make: () => Buffer.concat([real('tone.m4a'), box('moov', nested(100_000))]),
  },
  {
    name: 'a million empty boxes.m4a',
    verdict: 'any',
    make: () => Buffer.concat([real('tone.m4a'), repeat(box('free', Buffer.alloc(0)), 8_000_000)]),
  },
  {
    name: 'half a million tracks and fragments.m4a',
    verdict: 'refused',
    make: () =>
      Buffer.concat([
        real('tone.m4a'),
        box('moov', repeat(box('trak', Buffer.alloc(0)), 4_000_000)),
        box('moof', repeat(box('traf', box('tfhd', Buffer.alloc(8))), 12_000_000)),
      ]),
  },
  { name: 'no time at all.m4a', verdict: 'any', make: () => patched('mdhd', { 20: 0 }) },
  { name: 'no time scale.m4a', verdict: 'any', make: () => patched('mdhd', { 16: 0 }) },
  { name: 'a century.m4a', verdict: 'refused', make: () => patched('mdhd', { 16: 1, 20: 0xffffffff }) },
  { name: 'four billion samples.m4a', verdict: 'any', make: () => patched('stsz', { 12: 0xffffffff }) },
]

const OPUS_HEAD = Buffer.concat([
  Buffer.from('OpusHead\u0001\u0008', 'latin1'),
  Buffer.from([0, 0, 0x80, 0xbb, 0, 0, 0, 0, 1, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7]),
])
const OPUS_TAGS = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)])

/** Eight channels of 120 ms in each packet, 255 packets a page. */
export function opusBomb(pages: number): Buffer {
  // seven delimited streams and one that is not, each 48 frames of 2.5 ms without bytes
  const packet = Buffer.from([...Array<number[]>(7).fill([0xe3, 0x30, 0]).flat(), 0xe3, 0x30])
  const packets = Array<Buffer>(255).fill(packet)
  const each = 255n * 5_760n
  return Buffer.concat([
    oggPage(2, 0, 0n, [OPUS_HEAD]),
    oggPage(0, 1, 0n, [OPUS_TAGS]),
    ...Array.from({ length: pages }, (_, i) =>
      oggPage(i === pages - 1 ? 4 : 0, i + 2, each * BigInt(i + 1), packets),
    ),
  ])
}

const OGG_FILES: readonly HostileFile[] = [
  ...(['vorbis.ogg', 'tone.opus'] as const).flatMap((name): HostileFile[] => [
    {
      name: `the end of time ${name}`,
      verdict: 'refused',
      make: () => withGranules(real(name), () => 2n ** 63n - 1n),
    },
    {
      name: `before its beginning ${name}`,
      verdict: 'refused',
      make: () => withGranules(real(name), () => -(2n ** 62n)),
    },
    {
      name: `backwards ${name}`,
      verdict: 'any',
      make: () => withGranules(real(name), (page) => 90_000n - BigInt(page)),
    },
  ]),
  { name: 'bomb.opus', verdict: 'any', make: () => opusBomb(20) },
  {
    name: 'a million streams.ogg',
    verdict: 'refused',
    make: () => {
      const streams = [2, 0, 2, 0].map((flags) => oggPage(flags, 0, flags === 2 ? 0n : 1n, [OPUS_HEAD]))
      const serials = withPages(Buffer.concat(streams), (page, n) => void page.writeUInt32LE(n >> 1, 14))
      return repeat(serials, 60 * MIB)
    },
  },
]

/** xorshift: the same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const MUTANTS_EACH = 4

/** Real files with some of their bytes changed, and without their end. */
const MUTANTS: readonly HostileFile[] = FIXTURES.flatMap(([name], file) => [
  ...Array.from({ length: MUTANTS_EACH }, (_, i): HostileFile => ({
    name: `mutant ${i} ${name}`,
    verdict: 'any',
    make: () => {
      const bytes = Buffer.from(real(name))
      const next = numbers(1 + file * MUTANTS_EACH + i)
      // half of them in the headers
      for (let n = 0; n < 16; n++) bytes[next(n % 2 === 0 ? 200 : bytes.length)] = next(256)
      return bytes
    },
  })),
  {
    name: `truncated ${name}`,
    verdict: 'refused',
    make: () => real(name).subarray(0, Math.floor(real(name).length * 0.6)),
  },
])

export const CORPUS: readonly HostileFile[] = [
  ...FLAC_FILES,
  ...MP3_FILES,
  ...WAV_FILES,
  ...MP4_FILES,
  ...OGG_FILES,
  ...MUTANTS,
]
