/** A track of an MPEG-4 file, as its tables describe it. */
export interface Track {
  id: number
  /** `soun`, `vide`, … */
  handler: string
  timescale: number
  /** Of its samples, in units of the time scale. */
  duration: number
  /** Of what the edit list plays, in units of the movie's time scale; 0 without one. */
  edited: number
  movieTimescale: number
  sampleBytes: number
  /** Of a sample in a fragment that does not say. */
  defaultDuration: number
  entry: SampleEntry | null
}

export interface SampleEntry {
  readonly type: string
  readonly channels: number
  /** 0 where it does not fit into 16 bits. */
  readonly sampleRate: number
  readonly config: CodecConfig | null
}

/** Of `esds`. */
interface CodecConfig {
  readonly objectType: number
  /** Of AAC: its audio object type. */
  readonly profile: number
  /** 0 where it does not say. */
  readonly sampleRate: number
}

interface Box {
  readonly name: string
  readonly size: number
  readonly headBytes: number
}

export function boxOf(buffer: Buffer, at: number, rest: number): Box | null {
  if (buffer.length < at + 8) return null
  const name = buffer.toString('latin1', at + 4, at + 8)
  const size = buffer.readUInt32BE(at)
  if (size === 0) return { name, size: rest, headBytes: 8 }
  if (size !== 1) return size < 8 ? null : { name, size, headBytes: 8 }
  if (buffer.length < at + 16) return null
  const large = Number(buffer.readBigUInt64BE(at + 8))
  return large < 16 ? null : { name, size: large, headBytes: 16 }
}

function* boxesIn(buffer: Buffer): Generator<{ name: string; content: Buffer }> {
  for (let at = 0; at < buffer.length;) {
    const box = boxOf(buffer, at, buffer.length - at)
    if (!box) return
    yield { name: box.name, content: buffer.subarray(at + box.headBytes, at + box.size) }
    at += box.size
  }
}

/** Each fragment and each default is compared with all of them. */
export const MAX_TRACKS = 100

/** The tracks of `moov`; of too many, one more than the limit. */
export function tracksIn(moov: Buffer): Track[] {
  const tracks: Track[] = []
  let movieTimescale = 0
  for (const { name, content } of boxesIn(moov)) {
    if (name === 'mvhd' && content.length >= 24)
      movieTimescale = content.readUInt32BE(content[0] === 1 ? 20 : 12)
    if (name === 'trak' && tracks.push(trackOf(content, movieTimescale)) > MAX_TRACKS) return tracks
    if (name === 'mvex') readDefaults(content, tracks)
  }
  return tracks
}

function trackOf(trak: Buffer, movieTimescale: number): Track {
  const track = {
    id: 0,
    handler: '',
    timescale: 0,
    duration: 0,
    edited: 0,
    movieTimescale,
    sampleBytes: 0,
    defaultDuration: 0,
    entry: null,
  }
  readTrack(trak, track, ['mdia', 'minf', 'stbl'])
  readTrack(trak, track, ['edts'])
  return track
}

/** `inner`: the names of the boxes that are entered, from the outermost one. */
function readTrack(buffer: Buffer, track: Track, [next, ...inner]: readonly string[]): void {
  for (const { name, content } of boxesIn(buffer)) {
    if (name === next) readTrack(content, track, inner)
    else if (content.length >= 20 || name === 'stts') readLeaf(name, content, track)
  }
}

function readLeaf(name: string, content: Buffer, track: Track): void {
  const isLong = content[0] === 1
  if (name === 'tkhd') track.id = content.readUInt32BE(isLong && content.length >= 24 ? 20 : 12)
  // QuickTime has one in `minf` too, which is about the data
  if (name === 'hdlr' && track.handler === '') track.handler = content.toString('latin1', 8, 12)
  if (name === 'mdhd') track.timescale = content.readUInt32BE(isLong && content.length >= 24 ? 20 : 12)
  if (name === 'elst') track.edited = editedDuration(content)
  if (name === 'stsz') track.sampleBytes = sampleBytes(content)
  if (name === 'stts') track.duration = durations(content)
  if (name === 'stsd') track.entry = sampleEntry(content)
}

/** Without empty edits, which only delay the sound. */
function editedDuration(elst: Buffer): number {
  const isLong = elst[0] === 1
  const step = isLong ? 20 : 12
  let sum = 0
  for (let at = 8; at + step <= elst.length; at += step)
    if (elst.readInt32BE(at + (isLong ? 8 : 4)) >= 0)
      sum += isLong ? Number(elst.readBigUInt64BE(at)) : elst.readUInt32BE(at)
  return sum
}

function sampleBytes(stsz: Buffer): number {
  const each = stsz.readUInt32BE(4)
  const count = stsz.readUInt32BE(8)
  if (each > 0) return each * count
  let sum = 0
  for (let at = 12; at + 4 <= stsz.length && at < 12 + count * 4; at += 4) sum += stsz.readUInt32BE(at)
  return sum
}

function durations(stts: Buffer): number {
  let sum = 0
  for (let at = 8; at + 8 <= stts.length; at += 8) sum += stts.readUInt32BE(at) * stts.readUInt32BE(at + 4)
  return sum
}

function sampleEntry(stsd: Buffer): SampleEntry | null {
  const entry = stsd.subarray(8)
  if (entry.length < 36) return null
  return {
    type: entry.toString('latin1', 4, 8),
    channels: entry.readUInt16BE(24),
    sampleRate: entry.readUInt16BE(32),
    config: codecConfig(entry.subarray(entry.indexOf('esds') + 8)),
  }
}

const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]

/** The descriptors of `esds`: an ES, in it a DecoderConfig, in it what AAC says of itself. */
function codecConfig(descriptors: Buffer): CodecConfig | null {
  const stream = descriptor(descriptors, 3)
  const decoder = stream && descriptor(stream.subarray(3), 4)
  if (!decoder || decoder.length < 13) return null
  const bits = descriptor(decoder.subarray(13), 5) ?? Buffer.alloc(0)
  const short = (bits[0] ?? 0) >> 3
  const profile = short === 31 ? 32 + ((((bits[0] ?? 0) & 7) << 3) | ((bits[1] ?? 0) >> 5)) : short
  const rateIndex = (((bits[0] ?? 0) & 7) << 1) | ((bits[1] ?? 0) >> 7)
  return {
    objectType: decoder[0] ?? 0,
    profile,
    sampleRate: (short === 31 ? undefined : RATES[rateIndex]) ?? 0,
  }
}

/** The content of a descriptor with this tag at the beginning; its length is in up to four groups of seven bits. */
function descriptor(buffer: Buffer, tag: number): Buffer | null {
  if (buffer[0] !== tag) return null
  let size = 0
  let at = 1
  for (let isLast = false; !isLast && at <= 4; at++) {
    const byte = buffer[at] ?? 0
    size = size * 128 + (byte & 0x7f)
    isLast = byte < 0x80
  }
  return buffer.subarray(at, at + size)
}

function readDefaults(mvex: Buffer, tracks: readonly Track[]): void {
  for (const { name, content } of boxesIn(mvex)) {
    if (name !== 'trex' || content.length < 16) continue
    const track = tracks.find(({ id }) => id === content.readUInt32BE(4))
    if (track) track.defaultDuration = content.readUInt32BE(12)
  }
}

/** Adds the samples of `moof` to their tracks. */
export function addFragment(moof: Buffer, tracks: readonly Track[]): void {
  for (const { name, content } of boxesIn(moof)) {
    if (name !== 'traf') continue
    let track: Track | undefined
    let each = 0
    for (const box of boxesIn(content)) {
      if (box.content.length < 8) continue
      if (box.name === 'tfhd') {
        track = tracks.find(({ id }) => id === box.content.readUInt32BE(4))
        each = defaultDuration(box.content) ?? track?.defaultDuration ?? 0
      }
      if (box.name === 'trun' && track) track.duration += runDuration(box.content, each)
    }
  }
}

/** Optional fields stand in the order of their flags. */
function defaultDuration(tfhd: Buffer): number | null {
  const flags = tfhd.readUIntBE(1, 3)
  const at = 8 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4)
  return (flags & 8) !== 0 && tfhd.length >= at + 4 ? tfhd.readUInt32BE(at) : null
}

function runDuration(trun: Buffer, each: number): number {
  const flags = trun.readUIntBE(1, 3)
  const count = trun.readUInt32BE(4)
  if ((flags & 0x100) === 0) return count * each
  const step = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length
  const first = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4)
  let sum = 0
  for (let n = 0, at = first; n < count && at + 4 <= trun.length; n++, at += step)
    sum += trun.readUInt32BE(at)
  return sum
}
