import type { Format } from '../domain/audio/format.ts'
import type { Channels } from '../domain/loudness.ts'
import { pcmDecoder } from './decode-pcm.ts'

export interface Decoded {
  readonly channelData: Channels
  readonly samplesDecoded: number
  readonly sampleRate: number
}

interface Decoder {
  readonly ready: Promise<void>
  decode(bytes: Uint8Array): Decoded | Promise<Decoded>
  flush?(): Promise<Decoded>
  free(): void
}

/** Each is loaded when it is needed: all of them would take longer to load than some songs take to decode. */
const DECODERS: Record<Format['name'], (() => Promise<Decoder>) | null> = {
  mp3: async () => new (await import('mpg123-decoder')).MPEGDecoder(),
  flac: async () => new (await import('@wasm-audio-decoders/flac')).FLACDecoder(),
  ogg: async () => new (await import('@wasm-audio-decoders/ogg-vorbis')).OggVorbisDecoder(),
  opus: async () => new (await import('ogg-opus-decoder')).OggOpusDecoder(),
  wav: async () => pcmDecoder(),
  m4a: null, // AAC is patented in places; nothing free decodes it here
}

export const canDecode = (format: Format['name']): boolean => DECODERS[format] !== null

/** The samples of a file, piece by piece. Nothing for a format that we cannot decode. */
export async function* decode(
  format: Format['name'],
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Decoded> {
  const decoder = await DECODERS[format]?.()
  if (!decoder) return
  await decoder.ready
  try {
    for await (const bytes of source) {
      const decoded = await decoder.decode(bytes)
      if (decoded.samplesDecoded > 0) yield decoded
    }
    const rest = await decoder.flush?.()
    if (rest && rest.samplesDecoded > 0) yield rest
  } finally {
    decoder.free()
  }
}
