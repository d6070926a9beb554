import { FLACDecoder } from '@wasm-audio-decoders/flac'
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { MPEGDecoder } from 'mpg123-decoder'
import { OggOpusDecoder } from 'ogg-opus-decoder'
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

const DECODERS: Record<Format['name'], (() => Decoder) | null> = {
  mp3: () => new MPEGDecoder(),
  flac: () => new FLACDecoder(),
  ogg: () => new OggVorbisDecoder(),
  opus: () => new OggOpusDecoder(),
  wav: pcmDecoder,
  m4a: null, // AAC is patented in places; nothing free decodes it here
}

export const canDecode = (format: Format['name']): boolean => DECODERS[format] !== null

/** The samples of a file, piece by piece. Nothing for a format that we cannot decode. */
export async function* decode(
  format: Format['name'],
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Decoded> {
  const decoder = DECODERS[format]?.()
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
