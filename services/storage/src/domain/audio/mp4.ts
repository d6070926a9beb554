import { type Bytes, flaw, millisecondsOf, type Sound, unplayable, type Verdict } from './bytes.ts'
import { excessOf, MAX_CHUNKS, tooManyTags } from './limits.ts'
import { addFragment, boxOf, MAX_TRACKS, type SampleEntry, type Track, tracksIn } from './mp4-tracks.ts'
import { MAX_STRAY_BYTES, skipTrailingTags } from './tags.ts'

/** MPEG-4, 3GPP or QuickTime: every box must be there to its last byte, and the samples of the audio track must fit into the data. */
export async function readMp4(bytes: Bytes, start: number): Promise<Verdict> {
  // browsers do not find the first box behind a tag
  if (start > 0) return flaw('This M4A begins with a tag, so that no browser can play it.')
  const end = await skipTrailingTags(bytes, 0)
  let tracks: Track[] = []
  let hasIndex = false
  let dataBytes = 0
  let offset = 0
  for (let boxes = 0; offset < end; boxes++) {
    if (boxes > MAX_CHUNKS) return flaw('It has too many boxes.')
    const head = await bytes.at(offset, 16)
    const box = boxOf(head, 0, end - offset)
    const isOver = hasIndex && dataBytes > 0 && end - offset <= MAX_STRAY_BYTES
    if (!box || !/^[\x20-\x7e\xa9]{4}$/.test(box.name)) {
      if (isOver) break
      return flaw('It is cut: a box is not whole.')
    }
    if (offset + box.size > end) return flaw(`It is cut: the box "${box.name}" is not whole.`)
    if (box.name === 'mdat') dataBytes += box.size - box.headBytes
    const excess = tooManyTags(offset + box.size - dataBytes)
    if (excess) return flaw(excess)
    if (box.name === 'moov' || box.name === 'moof') {
      const content = (await bytes.at(offset, box.size)).subarray(box.headBytes)
      if (box.name === 'moov') tracks = tracksIn(content)
      else addFragment(content, tracks)
      if (tracks.length > MAX_TRACKS) return flaw('It has too many tracks.')
      hasIndex = true
    }
    offset += box.size
  }
  if (!hasIndex || dataBytes === 0) return flaw('It is cut: its index or its data is missing.')
  if (tracks.some(({ handler }) => handler === 'vide')) return flaw('It holds video.')
  const audio = tracks.find(({ handler }) => handler === 'soun')
  if (!audio) return flaw('It holds no sound.')
  if (audio.sampleBytes > dataBytes) return flaw('It is cut: samples are missing.')
  return soundOf(audio)
}

/** Browsers play what the edit list names: without the encoder's delay, and of a recording that was trimmed its rest. */
function soundOf({ entry, timescale, duration, edited, movieTimescale }: Track): Verdict {
  if (!entry || timescale === 0) return flaw('It has no format.')
  const coding = unplayableCoding(entry)
  if (coding !== null) return unplayable('M4A', coding)
  const sound: Sound = {
    format: 'm4a',
    durationMs: millisecondsOf(duration, timescale),
    sampleRate: entry.config?.sampleRate || entry.sampleRate || timescale,
    channels: entry.channels,
  }
  const excess = excessOf(sound)
  if (excess) return flaw(excess)
  const playedMs = edited > 0 && movieTimescale > 0 ? millisecondsOf(edited, movieTimescale) : Infinity
  return { ...sound, durationMs: Math.min(sound.durationMs, playedMs) }
}

/** By sample entry. */
const NAMES: Readonly<Record<string, string>> = {
  alac: 'Apple Lossless',
  'ac-3': 'Dolby Digital (AC-3)',
  'ec-3': 'Dolby Digital Plus (E-AC-3)',
  'ac-4': 'Dolby AC-4',
  mlpa: 'Dolby TrueHD',
  samr: 'AMR',
  sawb: 'AMR-WB',
  sawp: 'AMR-WB+',
  enca: 'encrypted sound',
  drms: 'encrypted sound',
  ima4: 'IMA ADPCM',
  'ms\0\u0002': 'Microsoft ADPCM',
  'ms\0\u0011': 'IMA ADPCM',
  ulaw: 'µ-law',
  alaw: 'A-law',
  agsm: 'GSM 6.10',
}
const PCM = new Set(['sowt', 'twos', 'lpcm', 'ipcm', 'fpcm', 'in24', 'in32', 'fl32', 'fl64', 'raw ', 'NONE'])
/** By object type of `mp4a`. */
const OBJECTS: Readonly<Record<number, string>> = {
  0xa5: 'Dolby Digital (AC-3)',
  0xa6: 'Dolby Digital Plus (E-AC-3)',
  0xa9: 'DTS',
  0xdd: 'Vorbis',
}
/** AAC of MPEG-4 and MPEG-2, and MP3. */
const PLAYABLE_OBJECTS = new Set([0x40, 0x66, 0x67, 0x68, 0x69, 0x6b])
const XHE_AAC = 42
/** Firefox reads the rate of FLAC from the sample entry, which has 16 bits for it. */
const MAX_FLAC_RATE = 0xffff

/** The name of a coding that Chromium or Firefox cannot play; null when both can. */
function unplayableCoding({ type, config, sampleRate }: SampleEntry): string | null {
  if (type === 'Opus') return null
  if (type === 'fLaC') return sampleRate > 0 ? null : `FLAC of more than ${MAX_FLAC_RATE} Hz`
  if (type !== 'mp4a' && type !== '.mp3')
    return (
      NAMES[type] ??
      (PCM.has(type) ? 'uncompressed sound' : type.startsWith('dts') ? 'DTS' : `the coding "${type}"`)
    )
  if (!config) return null
  if (config.profile === XHE_AAC && config.objectType === 0x40) return 'xHE-AAC'
  if (PLAYABLE_OBJECTS.has(config.objectType)) return null
  return OBJECTS[config.objectType] ?? `the coding 0x${config.objectType.toString(16)}`
}
