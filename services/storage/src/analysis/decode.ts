import CodecParser, { type CodecFrame, type MimeType, type OggPage } from 'codec-parser'
import type { Format } from '../domain/audio/format.ts'
import { pcmDecoder } from './decode-pcm.ts'
import type { Decoded } from './decoded.ts'

type Source = Iterable<Uint8Array> | AsyncIterable<Uint8Array>
type Samples = Decoded | Promise<Decoded>

interface Decoder {
  readonly ready: Promise<void>
  decode(bytes: Uint8Array): Samples
  flush?(): Samples
  free(): void
}

/** A decoder, and how a file is cut into the pieces that are decoded one at a time. */
interface Coding {
  readonly decoder: Decoder
  readonly pieces: (source: Source) => AsyncIterable<Uint8Array>
}

/** Each is loaded when it is needed: all of them would take longer to load than some songs take to decode. */
const CODINGS: Record<Format['name'], (() => Promise<Coding>) | null> = {
  mp3: async () => ({ decoder: new (await import('mpg123-decoder')).MPEGDecoder(), pieces: asItComes }),
  flac: async () => {
    const decoder = new (await import('@wasm-audio-decoders/flac')).FLACDecoder()
    return {
      decoder: {
        ready: decoder.ready,
        decode: (frame) => decoder.decodeFrames([frame]),
        free: () => decoder.free(),
      },
      pieces: (source) => parse('audio/flac', source, (frame: CodecFrame) => frame.data),
    }
  },
  ogg: async () => ({
    decoder: new (await import('@wasm-audio-decoders/ogg-vorbis')).OggVorbisDecoder(),
    pieces: pages,
  }),
  opus: async () => ({ decoder: new (await import('ogg-opus-decoder')).OggOpusDecoder(), pieces: pages }),
  wav: async () => ({ decoder: pcmDecoder(), pieces: asItComes }),
  m4a: null, // AAC is patented in places; nothing free decodes it here
}

/**
 * The samples of a file, piece by piece. Nothing for a format that we cannot decode. A piece of FLAC is one frame and a piece
 * of Ogg one page, since a few bytes of silence can become megabytes; bytes of MP3 and WAV become at most 200 times as many.
 */
export async function* decode(format: Format['name'], source: Source): AsyncGenerator<Decoded> {
  const coding = await CODINGS[format]?.()
  if (!coding) return
  const { decoder, pieces } = coding
  await decoder.ready
  try {
    for await (const bytes of pieces(source)) {
      const decoded = await decoder.decode(bytes)
      if (decoded.samplesDecoded > 0) yield decoded
    }
    const rest = await decoder.flush?.()
    if (rest && rest.samplesDecoded > 0) yield rest
  } finally {
    decoder.free()
  }
}

async function* asItComes(source: Source): AsyncGenerator<Uint8Array> {
  yield* source
}

const pages = (source: Source) => parse('audio/ogg', source, (page: OggPage) => page.rawData)

async function* parse<T extends CodecFrame | OggPage>(
  type: MimeType,
  source: Source,
  bytesOf: (piece: T) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  const parser = new CodecParser<T>(type, { enableFrameCRC32: false })
  for await (const bytes of source) yield* Iterator.from(parser.parseChunk(bytes)).map(bytesOf)
  yield* Iterator.from(parser.flush()).map(bytesOf)
}
