import { isRareCoding } from '@prelude/contracts'
import { readFileSync } from 'node:fs'
import type { FormatName } from '../src/domain/audio/bytes.ts'
import { chunk, id3, oggPage, pagesOf, uint, wav, withPages } from './hostile/encode.ts'

/** A file of each kind that people bring, what browsers make of it, and what storage does. */
export interface Sample {
  readonly what: string
  readonly contentType: string
  readonly make: () => Buffer
  /** The engines that play it. */
  readonly plays: Engines
  /** Taken as this format, with a length of 1.2 s or more; or what the refusal says. */
  readonly verdict: FormatName | RegExp
}

/** Which of Chromium, Firefox and WebKit: `CFW`, `CF`, `` and so on. */
type Engines = string

const real = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url))
const coded = (name: string) => (): Buffer => real(`codings/${name}`)
const join = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts)
const zeros = (bytes: number): Buffer => Buffer.alloc(bytes)

/** 16-bit samples at 8 kHz, mono. */
const samples16 = (): Buffer => real('pcm16.wav').subarray(real('pcm16.wav').indexOf('data') + 8)
/** The same samples, each at the end of so many bytes. */
const widened = (bytes: number): Buffer => {
  const samples = samples16()
  return join(
    ...Array.from({ length: samples.length / 2 }, (_, i) =>
      join(zeros(bytes - 2), samples.subarray(i * 2, i * 2 + 2)),
    ),
  )
}
const floats = (bytes: 4 | 8): Buffer => {
  const samples = samples16()
  const out = zeros((samples.length / 2) * bytes)
  for (let i = 0; i < samples.length / 2; i++) {
    const value = samples.readInt16LE(i * 2) / 32_768
    if (bytes === 4) out.writeFloatLE(value, i * 4)
    else out.writeDoubleLE(value, i * 8)
  }
  return out
}
const pcm = (bits: number, data: Buffer, more: Partial<Parameters<typeof wav>[0]> = {}): Buffer =>
  wav({ bits, data, ...more })
/** A WAV whose format is given whole. */
const extensible = (bits: number, validBits: number, data: Buffer): Buffer => {
  const format = join(
    uint(2, 0xfffe, 'LE'),
    uint(2, 1, 'LE'),
    uint(4, 8_000, 'LE'),
    uint(4, 1_000 * bits, 'LE'),
    uint(2, bits / 8, 'LE'),
    uint(2, bits, 'LE'),
    uint(2, 22, 'LE'),
    uint(2, validBits, 'LE'),
    uint(4, 0, 'LE'),
    Buffer.from('0100000000001000800000aa00389b71', 'hex'),
  )
  return chunk('RIFF', join(Buffer.from('WAVE'), chunk('fmt ', format), chunk('data', data)))
}
/** A WAV that claims this size of itself and of its data. */
const sized = (size: number): Buffer => {
  const file = pcm(16, samples16())
  file.writeUInt32LE(size, 4)
  file.writeUInt32LE(size, 40)
  return file
}
/** A WAV of 64 bits. */
const large = (name: 'RF64' | 'BW64'): Buffer => {
  const file = sized(0xffffffff)
  file.write(name, 'latin1')
  const sizes = zeros(28)
  sizes.writeBigUInt64LE(BigInt(file.length + 28), 0)
  sizes.writeBigUInt64LE(BigInt(file.length - 44), 8)
  sizes.writeBigUInt64LE(BigInt((file.length - 44) / 2), 16)
  return join(file.subarray(0, 12), chunk('ds64', sizes), file.subarray(12))
}
/** An odd number of bytes and no padding behind them. */
const unpadded = (): Buffer => {
  const file = pcm(24, widened(3).subarray(3))
  return join(file, chunk('LIST', Buffer.from('INFOISFT\u000e\0\0\0A recorder 1.0')))
}
const ape = (): Buffer => {
  const part = (flags: number): Buffer =>
    join(Buffer.from('APETAGEX'), ...[2_000, 32, 0, flags].map((value) => uint(4, value, 'LE')), zeros(8))
  return join(part(0xa0000000), part(0x80000000))
}
/** A WAV behind a chunk of three bytes and what is behind it: a pad byte, if its writer knew of it. */
const behindOdd = (pad: readonly number[]): Buffer =>
  pcm(16, samples16(), { chunks: join(chunk('junk', zeros(3)), Buffer.from(pad)) })
const id3v1 = join(Buffer.from('TAG'), zeros(125))
const mp4 = (name: string, offset: number, value: number): Buffer => {
  const file = real('tone.m4a')
  file.writeUInt32BE(value, file.indexOf(name) + offset)
  return file
}

/** HE-AAC with this AudioSpecificConfig; the encoder's own has backward-compatible signalling of SBR. */
const heAac = (config: string) => (): Buffer => {
  const file = real('codings/he-aac.m4a')
  file.write(config, file.indexOf('150856e5b8', 0, 'hex'), 'hex')
  return file
}
const setSerial = (page: Buffer): void => void page.writeUInt32LE(2, 14)
const second = (name: string): Buffer => withPages(real(name), setSerial)
/** Ogg streams whose pages take turns. */
const sideBySide = (...names: readonly [string, string]): Buffer => {
  const [one, other] = [pagesOf(real(names[0])), pagesOf(second(names[1]))]
  const turns = Array.from({ length: Math.max(one.length, other.length) }, (_, n) => [one[n], other[n]])
  return join(...turns.flat().filter((page) => page !== undefined))
}

const MP3 = 'audio/mpeg'
const WAV = 'audio/wav'
const FLAC = 'audio/flac'
const M4A = 'audio/mp4'
const OGG = 'audio/ogg'
const OTHER = 'application/octet-stream'

const ONE_PLAYS = /several recordings, of which browsers play one/

const row = (
  what: string,
  contentType: string,
  plays: Engines,
  verdict: Sample['verdict'],
  make: () => Buffer,
): Sample => ({ what, contentType, plays, verdict, make })

export const SAMPLES: readonly Sample[] = [
  row('MP3', MP3, 'CFW', 'mp3', () => real('cbr.mp3')),
  row('MP3 of variable bitrate', MP3, 'CFW', 'mp3', () => real('vbr.mp3')),
  row('MP3, MPEG-2.5', MP3, 'CFW', 'mp3', coded('mpeg-2.5.mp3')),
  row('MP3 behind zeros', MP3, 'CFW', 'mp3', () => join(zeros(1_024), real('cbr.mp3'))),
  row('MP3 behind a tag that says too little of its length', MP3, 'CFW', 'mp3', () =>
    join(id3(zeros(20)), zeros(3_000), real('cbr.mp3')),
  ),
  row('MP3 that begins within a frame', MP3, 'CFW', 'mp3', () => real('cbr.mp3').subarray(211)),
  row('MP3 behind an APE tag', MP3, 'CFW', 'mp3', () => join(ape(), real('cbr.mp3'))),
  row('MP3 before 100 KB of zeros', MP3, 'CFW', 'mp3', () => join(real('cbr.mp3'), zeros(102_400))),
  row('MPEG Layer II', MP3, 'W', /MPEG Layer I or II/, coded('layer-2.mp3')),
  row('AAC without a container', OTHER, 'CF', /AAC without a container/, coded('aac.aac')),

  row('WAV, 8 bits', WAV, 'CFW', 'wav', () => pcm(8, zeros(12_800).fill(128))),
  row('WAV, 16 bits', WAV, 'CFW', 'wav', () => real('pcm16.wav')),
  row('WAV, 24 bits', WAV, 'CFW', 'wav', () => pcm(24, widened(3))),
  row('WAV, 32 bits', WAV, 'CFW', 'wav', () => pcm(32, widened(4))),
  row('WAV, 32-bit float', WAV, 'CFW', 'wav', () => pcm(32, floats(4), { coding: 3 })),
  row('WAV, 64-bit float', WAV, 'FW', /floating-point samples of 64 bits/, () =>
    pcm(64, floats(8), { coding: 3 }),
  ),
  row('WAV, A-law', WAV, 'CFW', 'wav', () => pcm(8, zeros(12_800).fill(0xd5), { coding: 6 })),
  row('WAV, µ-law', WAV, 'CFW', 'wav', () => pcm(8, zeros(12_800).fill(0xff), { coding: 7 })),
  row('WAV, 20 bits in 3 bytes', WAV, 'CFW', 'wav', () => extensible(24, 20, widened(3))),
  row('WAV, 24 bits in 4 bytes', WAV, 'FW', /samples of 24 bits in 4 bytes/, () =>
    extensible(32, 24, widened(4)),
  ),
  row('WAV, 12 bits without a note of it', WAV, 'CW', /samples of 12 bits/, () => {
    const file = real('pcm16.wav')
    file.writeUInt16LE(12, 34)
    return file
  }),
  row('WAV, 5.1', WAV, 'CFW', 'wav', () =>
    pcm(16, join(...Array<Buffer>(6).fill(samples16())), { channels: 6 }),
  ),
  row('WAV, 384 kHz', WAV, 'CFW', 'wav', () => pcm(8, zeros(480_000).fill(128), { rate: 384_000 })),
  row('WAV with MP3 in it', WAV, 'CFW', 'wav', coded('mp3.wav')),
  row('WAV, IMA ADPCM', WAV, '', /IMA ADPCM/, coded('adpcm-ima.wav')),
  row('WAV, Microsoft ADPCM', WAV, '', /Microsoft ADPCM/, coded('adpcm-ms.wav')),
  row('WAV, GSM', WAV, '', /GSM 6\.10/, coded('gsm.wav')),
  row('WAV with Windows Media in it', WAV, '', /Windows Media Audio/, coded('wma.wav')),
  row('WAV, half the bytes a second', WAV, 'CFW', 'wav', () =>
    pcm(16, samples16(), { bytesPerSecond: 8_000 }),
  ),
  row('WAV, no bytes a second', WAV, 'CFW', 'wav', () => pcm(16, samples16(), { bytesPerSecond: 0 })),
  ...[0x7ffff000, 0x7fffffff, 0xffffffff].map((size) =>
    row(`WAV of unknown length, ${size.toString(16)}`, WAV, 'CFW', 'wav', () => sized(size)),
  ),
  row('WAV of unknown length, 0', WAV, 'CW', 'wav', () => sized(0)),
  row('WAV without a pad byte', WAV, 'CFW', 'wav', unpadded),
  row('WAV behind an odd chunk', WAV, 'CFW', 'wav', () => behindOdd([0])),
  row('WAV behind an odd chunk and a pad byte of 255', WAV, 'CFW', 'wav', () => behindOdd([255])),
  row('WAV behind an odd chunk without a pad byte', WAV, 'W', /not made of chunks/, () => behindOdd([])),
  row('WAV of 64 bits, RF64', WAV, 'CW', 'wav', () => large('RF64')),
  row('WAV of 64 bits, BW64', WAV, 'C', 'wav', () => large('BW64')),
  row('WAV behind an ID3 tag', WAV, 'CW', 'wav', () => join(id3(zeros(100)), real('pcm16.wav'))),
  row('WAV before an APE tag', WAV, 'CFW', 'wav', () => join(real('pcm16.wav'), ape())),

  row('FLAC', FLAC, 'CFW', 'flac', () => real('tone.flac')),
  row('FLAC, 24 bits, 5.1', FLAC, 'CFW', 'flac', coded('24-bit-51.flac')),
  row('FLAC behind an ID3 tag', FLAC, 'CW', 'flac', () => join(id3(zeros(100)), real('tone.flac'))),
  row('FLAC before an APE tag', FLAC, 'CFW', 'flac', () => join(real('tone.flac'), ape())),

  row('M4A, AAC', M4A, 'CF', 'm4a', () => real('tone.m4a')),
  row('M4A, AAC, 5.1', M4A, 'CF', 'm4a', coded('aac-51.m4a')),
  row('M4A, AAC, 96 kHz', M4A, 'CF', 'm4a', coded('aac-96k.m4a')),
  row('M4A, AAC in fragments', M4A, 'CF', 'm4a', coded('aac-fragments.m4a')),
  row('M4A, HE-AAC, backward-compatible signalling', M4A, 'CF', 'm4a', heAac('150856e5b8')),
  row('M4A, HE-AAC, hierarchical signalling', M4A, 'CF', 'm4a', heAac('2d0b880000')),
  row('M4A, HE-AAC, implicit signalling', M4A, 'CF', 'm4a', heAac('1508000000')),
  row('3GP, AAC', M4A, 'CF', 'm4a', coded('aac.3gp')),
  row('QuickTime, AAC', M4A, 'CF', 'm4a', coded('aac.mov')),
  row('M4A, MP3', M4A, 'CFW', 'm4a', coded('mp3.m4a')),
  row('M4A, FLAC', M4A, 'CFW', 'm4a', coded('flac.m4a')),
  row('M4A, FLAC, 96 kHz', M4A, 'CW', /FLAC of more than 65535 Hz/, coded('flac-96k.m4a')),
  row('M4A, Opus', M4A, 'CFW', 'm4a', coded('opus.m4a')),
  row('M4A, Apple Lossless', M4A, '', /Apple Lossless/, coded('alac.m4a')),
  row('M4A, AC-3', M4A, '', /AC-3/, coded('ac3.m4a')),
  row('M4A, E-AC-3', M4A, '', /E-AC-3/, coded('eac3.m4a')),
  row('M4A, Vorbis', M4A, 'CW', /Vorbis/, coded('vorbis.m4a')),
  row('QuickTime, uncompressed', M4A, 'W', /uncompressed/, coded('pcm.mov')),
  row('QuickTime, IMA ADPCM', M4A, '', /IMA ADPCM/, coded('adpcm.mov')),
  row('M4A before an APE tag', M4A, 'CF', 'm4a', () => join(real('tone.m4a'), ape())),
  row('M4A before an ID3v1 tag', M4A, 'CF', 'm4a', () => join(real('tone.m4a'), id3v1)),
  row('M4A before seven zeros', M4A, 'CF', 'm4a', () => join(real('tone.m4a'), zeros(7))),
  row('M4A before stray bytes', M4A, 'CF', 'm4a', () =>
    join(real('tone.m4a'), Buffer.alloc(2_048, Buffer.from('48b59b70', 'hex'))),
  ),
  row('M4A that says double its length', M4A, 'CF', 'm4a', () =>
    mp4('mdhd', 20, 2 * real('tone.m4a').readUInt32BE(real('tone.m4a').indexOf('mdhd') + 20)),
  ),
  row('M4A behind an ID3 tag', M4A, '', /begins with a tag/, () => join(id3(zeros(100)), real('tone.m4a'))),

  row('OGG, Vorbis', OGG, 'CFW', 'ogg', () => real('vorbis.ogg')),
  row('OGG, Opus', OGG, 'CFW', 'opus', () => real('tone.opus')),
  row('OGG, Opus, 5.1', OGG, 'CFW', 'opus', coded('opus-51.opus')),
  row('OGG, FLAC', OGG, 'CFW', 'oggflac', coded('flac.ogg')),
  row('OGG, Speex', OGG, 'W', /Speex/, coded('speex.ogg')),
  row('OGG, Vorbis, without its end', OGG, 'CFW', 'ogg', () => withPages(real('vorbis.ogg'), unended)),
  row('OGG, Opus, without its end', OGG, 'CFW', 'opus', () => withPages(real('tone.opus'), unended)),
  row('OGG, two Opus recordings', OGG, 'CFW', 'opus', () => join(real('tone.opus'), second('tone.opus'))),
  row('OGG, Opus with a skeleton', OGG, 'CFW', 'opus', () => {
    const skeleton = join(Buffer.from('fishead\0\u0003'), zeros(55))
    const ends = join(oggPage(2, 0, 0n, [skeleton]), oggPage(4, 1, 0n, [zeros(0)]))
    const [begin = ends, end = ends] = pagesOf(withPages(ends, setSerial))
    const [head = zeros(0), ...others] = pagesOf(real('tone.opus'))
    return join(begin, head, end, ...others)
  }),
  row('OGG, Vorbis before Opus', OGG, 'CFW', ONE_PLAYS, () => join(real('vorbis.ogg'), second('tone.opus'))),
  row('OGG, mono before 5.1', OGG, 'CFW', ONE_PLAYS, () =>
    join(real('tone.opus'), second('codings/opus-51.opus')),
  ),
  row('OGG, Opus beside Opus', OGG, 'CFW', ONE_PLAYS, () => sideBySide('tone.opus', 'tone.opus')),
  row('OGG, Vorbis beside Opus', OGG, 'CW', ONE_PLAYS, () => sideBySide('vorbis.ogg', 'tone.opus')),
  row('OGG behind an ID3 tag', OGG, 'CW', 'ogg', () => join(id3(zeros(100)), real('vorbis.ogg'))),
  row('OGG before an APE tag', OGG, 'CFW', 'ogg', () => join(real('vorbis.ogg'), ape())),

  row('AIFF', OTHER, '', /AIFF/, coded('tone.aiff')),
  row('Windows Media', OTHER, '', /Windows Media/, coded('tone.wma')),
  row('WebM, Opus', OTHER, 'CFW', /WebM/, coded('tone.webm')),
]

function unended(page: Buffer): void {
  page[5] = (page[5] ?? 0) & ~4
}

const ENGINES = { C: 'Chromium', F: 'Firefox', W: 'WebKit' } as const

const page = (rows: readonly string[]): string => `# Which audio is taken

Generated by \`services/storage/test/judge-audio.test.ts\` from its samples (\`vitest run --project unit -u\`); do not edit. The browser
test \`infra/tests/e2e/engines/engines.night.test.ts\` plays each of them in the three engines, and fails where the table is wrong.

- A file is **refused** (415 \`not_audio\`, with a sentence that names the coding) where Chromium or Firefox cannot play its coding, and
  where it is cut. AAC without a container and WebM are refused too: distributors do not take them. So is an OGG of
  which browsers play a part alone: streams side by side, and recordings joined whose coding, rate or channels differ.
- It is **taken with a warning** where both play the coding, but not every browser the file: Ogg and Opus, which Safari plays since
  18.4 and 17; MP3 in WAV; a WAV of 64 bits or of length 0; a tag before WAV, FLAC or OGG. The warning stands beside the files; the desk asks again.
- Its length is that of its sound. A size that no file has means "to the end", and a first frame is looked for behind tags and stray bytes.
- WebKit is that of GTK, whose GStreamer has no AAC here and, unlike Safari, plays Speex and PCM in QuickTime.

| File | Chromium | Firefox | WebKit | Storage |
|---|---|---|---|---|
${rows.join('\n')}
`

/** Whether the desk warns of it. */
export function isRare({ make }: Sample): boolean {
  const bytes = make().toString('latin1')
  return isRareCoding(bytes, bytes)
}

/** docs/audio.md. */
export const audioPage = (): string =>
  page(
    SAMPLES.map((sample) => {
      const { what, plays, verdict } = sample
      const marks = Object.keys(ENGINES).map((engine) => (plays.includes(engine) ? 'plays' : '–'))
      const taken = isRare(sample) ? 'taken with a warning' : 'taken'
      const storage = verdict instanceof RegExp ? `refused: ${verdict.source.replaceAll('\\', '')}` : taken
      return `| ${what} | ${marks.join(' | ')} | ${storage} |`
    }),
  )
