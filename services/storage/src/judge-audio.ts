import { fileTypeFromTokenizer } from 'file-type'
import { parseFromTokenizer } from 'music-metadata'
import { type FileHandle, open } from 'node:fs/promises'
import { BytesTokenizer } from './bytes-tokenizer.ts'
import { type Bytes, flaw, type Flaw } from './domain/audio/bytes.ts'
import { type Format, formatOf } from './domain/audio/format.ts'
import { excessOf, tooManyTags } from './domain/audio/limits.ts'
import { skipLeadingTags } from './domain/audio/tags.ts'

const WINDOW_BYTES = 256 * 1024
const MIN_DURATION_MS = 1000
/** Bits a second; no codec goes lower. */
const MIN_BITRATE = 500
const STEREO = 2

export interface Judgement {
  readonly format: Format['name']
  readonly durationMs: number
  /** Bits a second on average, tags and all. */
  readonly bitrate: number
  readonly channels: number
}

/**
 * The format of a file by its content, never by its name or declared type. Three parsers must agree: detection of the type,
 * our own walk through its structure (is it complete?) and an independent parser (is it playable audio?). A flaw says why it
 * is refused. The limits are checked as early as the file says enough: before any parser where its tags are too long.
 */
export async function judgeAudio(path: string): Promise<Judgement | Flaw> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    return await judge(bytesOf(file, size))
  } finally {
    await file.close()
  }
}

async function judge(bytes: Bytes): Promise<Judgement | Flaw> {
  const leading = tooManyTags(await skipLeadingTags(bytes))
  if (leading) return flaw(leading)
  const detected = await fileTypeFromTokenizer(new BytesTokenizer(bytes)).catch(() => undefined)
  const format = formatOf(detected?.ext)
  if (!format) return flaw(`it is ${detected?.mime ?? 'of no known type'}`)
  // a parser that throws on hostile bytes has judged them
  const verdict = await format.read(bytes).catch((error: Error) => flaw(error.message))
  if ('flaw' in verdict) return verdict
  const parsed = await parse(bytes)
  if (!parsed || !parsed.sampleRate) return flaw('it cannot be played')
  const durationMs = verdict.durationMs ?? Math.round((parsed.duration ?? 0) * 1000)
  if (durationMs < MIN_DURATION_MS) return flaw(`it plays for ${durationMs} ms`)
  const channels = parsed.numberOfChannels ?? STEREO
  const excess = excessOf({ durationMs, sampleRate: verdict.sampleRate ?? parsed.sampleRate, channels })
  if (excess) return flaw(excess)
  const bitrate = Math.round((bytes.size * 8000) / durationMs)
  if (bitrate < MIN_BITRATE) return flaw(`${bytes.size} bytes cannot play for ${durationMs} ms`)
  return { format: format.name, durationMs, bitrate, channels }
}

async function parse(bytes: Bytes) {
  try {
    return (await parseFromTokenizer(new BytesTokenizer(bytes), { skipCovers: true })).format
  } catch {
    return null
  }
}

/** Caches the beginning, which every parser reads, and the last window: the parsers mostly read forward, in small steps. */
function bytesOf(file: FileHandle, size: number): Bytes {
  const read = async (from: number, length: number): Promise<Window> => {
    const wanted = Math.max(0, Math.min(length, size - from))
    const buffer = Buffer.allocUnsafe(wanted)
    const { bytesRead } = wanted > 0 ? await file.read(buffer, 0, wanted, from) : { bytesRead: 0 }
    return { from, bytes: buffer.subarray(0, bytesRead) }
  }
  let head: Window | undefined
  let last: Window | undefined
  return {
    size,
    at: async (offset, length) => {
      head ??= await read(0, WINDOW_BYTES)
      const end = Math.min(offset + length, size)
      let window = [head, last].find((one) => one && offset >= one.from && end <= one.from + one.bytes.length)
      window ??= last = await read(offset, Math.max(length, WINDOW_BYTES))
      return window.bytes.subarray(offset - window.from, offset - window.from + length)
    },
  }
}

interface Window {
  readonly from: number
  readonly bytes: Buffer
}
