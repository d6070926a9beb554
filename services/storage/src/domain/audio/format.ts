import type { Bytes, Verdict } from './bytes.ts'
import { readFlac } from './flac.ts'
import { readMp3 } from './mp3.ts'
import { readMp4 } from './mp4.ts'
import { readOgg } from './ogg.ts'
import { readWav } from './wav.ts'

/** An accepted format of audio. */
export interface Format {
  readonly name: 'mp3' | 'wav' | 'flac' | 'm4a' | 'ogg' | 'opus'
  readonly contentType: string
  /** File name extensions that say the truth about it; the first is given where none does. */
  readonly extensions: readonly [string, ...string[]]
  readonly read: (bytes: Bytes) => Promise<Verdict>
}

const MP3: Format = { name: 'mp3', contentType: 'audio/mpeg', extensions: ['mp3'], read: readMp3 }
const WAV: Format = { name: 'wav', contentType: 'audio/wav', extensions: ['wav', 'wave'], read: readWav }
const FLAC: Format = { name: 'flac', contentType: 'audio/flac', extensions: ['flac'], read: readFlac }
const M4A: Format = {
  name: 'm4a',
  contentType: 'audio/mp4',
  extensions: ['m4a', 'mp4', 'm4b'],
  read: readMp4,
}
const OGG: Format = { name: 'ogg', contentType: 'audio/ogg', extensions: ['ogg', 'oga'], read: readOgg }
const OPUS: Format = {
  name: 'opus',
  contentType: 'audio/ogg',
  extensions: ['opus', 'ogg', 'oga'],
  read: readOgg,
}

const DETECTED: Readonly<Record<string, Format>> = {
  mp3: MP3,
  wav: WAV,
  flac: FLAC,
  m4a: M4A,
  m4b: M4A,
  mp4: M4A,
  ogg: OGG,
  oga: OGG,
  opus: OPUS,
}

/** By the extension that content detection gives. */
export const formatOf = (detected: string | undefined): Format | undefined =>
  detected === undefined ? undefined : DETECTED[detected]

export const formatNamed = (name: string): Format | undefined => DETECTED[name]

/** Of a recorded format's name; of anything else, bytes. */
export const contentTypeOf = (name: string | undefined): string =>
  (name === undefined ? undefined : formatNamed(name))?.contentType ?? 'application/octet-stream'

/** Every extension that one of the formats uses. */
export const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set(
  Object.values(DETECTED).flatMap(({ extensions }) => extensions),
)
