import CodecParser, { type CodecFrame, type MimeType, type OggPage } from 'codec-parser'
import type { FormatName } from '../domain/audio/bytes.ts'
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

/** How a file is cut into the pieces that are decoded one at a time. */
interface Coding {
  readonly decoder: () => Decoder
  readonly pieces: (source: Source) => AsyncIterable<Uint8Array>
  /** Whether another recording begins with this piece, which needs a decoder of its own. */
  readonly isNext?: (piece: Uint8Array) => boolean
}

/** Each is loaded when it is needed: all of them would take longer to load than some songs take to decode. */
const CODINGS: Record<FormatName, (() => Promise<Coding>) | null> = {
  mp3: async () => {
    const { MPEGDecoder } = await import('mpg123-decoder')
    return { decoder: () => new MPEGDecoder(), pieces: asItComes }
  },
  flac: () => flac((source) => parse('audio/flac', source, ({ data }: CodecFrame) => [data])),
  oggflac: () =>
    flac((source) => parse('audio/ogg', source, (page: OggPage) => page.codecFrames.map(({ data }) => data))),
  ogg: async () => {
    const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis')
    return { decoder: () => new OggVorbisDecoder(), pieces: pages, isNext: linksIn() }
  },
  opus: async () => {
    const { OggOpusDecoder } = await import('ogg-opus-decoder')
    return { decoder: () => new OggOpusDecoder(), pieces: pages, isNext: linksIn() }
  },
  wav: async () => ({ decoder: pcmDecoder, pieces: asItComes }),
  m4a: null, // AAC is patented in places; nothing free decodes it here
}

async function flac(pieces: Coding['pieces']): Promise<Coding> {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac')
  return {
    decoder: () => {
      const decoder = new FLACDecoder()
      return {
        ready: decoder.ready,
        decode: (frame) => decoder.decodeFrames([frame]),
        free: () => decoder.free(),
      }
    },
    pieces,
  }
}

/** The first page of a stream. */
const isHead = (page: Uint8Array): boolean => ((page[5] ?? 0) & 2) !== 0

/** Of Ogg pages, whether another link begins. */
function linksIn(): (page: Uint8Array) => boolean {
  let links = 0
  return (page) => isHead(page) && links++ > 0
}

/**
 * The samples of a file, piece by piece. Nothing for a format that we cannot decode. A piece of FLAC is one frame and a piece
 * of Ogg one page, since a few bytes of silence can become megabytes; bytes of MP3 and WAV become at most 200 times as many.
 */
export async function* decode(format: FormatName, source: Source): AsyncGenerator<Decoded> {
  const coding = await CODINGS[format]?.()
  if (!coding) return
  let decoder = coding.decoder()
  await decoder.ready
  try {
    for await (const bytes of coding.pieces(source)) {
      if (coding.isNext?.(bytes) === true) {
        yield* some(await decoder.flush?.())
        decoder.free()
        decoder = coding.decoder()
        await decoder.ready
      }
      yield* some(await decoder.decode(bytes))
    }
    yield* some(await decoder.flush?.())
  } finally {
    decoder.free()
  }
}

const some = (decoded: Decoded | undefined): Decoded[] =>
  decoded && decoded.samplesDecoded > 0 ? [decoded] : []

async function* asItComes(source: Source): AsyncGenerator<Uint8Array> {
  yield* source
}

/** Without those of a skeleton, which only describes the others. */
async function* pages(source: Source): AsyncGenerator<Uint8Array> {
  let skeleton = ''
  for await (const page of parse('audio/ogg', source, ({ rawData }: OggPage) => [rawData])) {
    const serial = page.subarray(14, 18).join()
    if (isHead(page) && Buffer.from(page).includes('fishead')) skeleton = serial
    if (serial !== skeleton) yield page
  }
}

async function* parse<T extends CodecFrame | OggPage>(
  type: MimeType,
  source: Source,
  bytesOf: (piece: T) => readonly Uint8Array[],
): AsyncGenerator<Uint8Array> {
  const parser = new CodecParser<T>(type, { enableFrameCRC32: false })
  for await (const bytes of source) yield* Iterator.from(parser.parseChunk(bytes)).flatMap(bytesOf)
  yield* Iterator.from(parser.flush()).flatMap(bytesOf)
}
