import type { FormatName } from './bytes.ts'

/** An accepted format of audio. */
export interface Format {
  readonly name: FormatName
  readonly contentType: string
  /** File name extensions that say the truth about it; the first is given where none does. */
  readonly extensions: readonly [string, ...string[]]
}

const FORMATS: readonly Format[] = [
  { name: 'mp3', contentType: 'audio/mpeg', extensions: ['mp3'] },
  { name: 'wav', contentType: 'audio/wav', extensions: ['wav', 'wave'] },
  { name: 'flac', contentType: 'audio/flac', extensions: ['flac'] },
  { name: 'm4a', contentType: 'audio/mp4', extensions: ['m4a', 'mp4', 'm4b'] },
  { name: 'ogg', contentType: 'audio/ogg', extensions: ['ogg', 'oga'] },
  { name: 'opus', contentType: 'audio/ogg', extensions: ['opus', 'ogg', 'oga'] },
  { name: 'oggflac', contentType: 'audio/ogg', extensions: ['ogg', 'oga'] },
]

export const formatNamed = (name: string): Format | undefined => FORMATS.find((one) => one.name === name)

/** Of a recorded format's name; of anything else, bytes. */
export const contentTypeOf = (name: string | undefined): string =>
  (name === undefined ? undefined : formatNamed(name))?.contentType ?? 'application/octet-stream'

/** Every extension that one of the formats uses. */
export const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set(FORMATS.flatMap(({ extensions }) => extensions))
