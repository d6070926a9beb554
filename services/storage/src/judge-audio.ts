import { AppError } from '@prelude/platform'
import { fileTypeFromTokenizer } from 'file-type'
import { parseFromTokenizer } from 'music-metadata'
import { type FileHandle, open } from 'node:fs/promises'
import { BytesTokenizer } from './bytes-tokenizer.ts'
import type { Bytes } from './domain/audio/bytes.ts'
import { type Format, formatOf } from './domain/audio/format.ts'

const WINDOW_BYTES = 256 * 1024
const MIN_DURATION_MS = 1000
/** Bits a second; no codec goes lower. */
const MIN_BITRATE = 500
const STEREO = 2

export interface JudgedAudio {
  readonly format: Format
  readonly durationMs: number
  /** Bits a second on average, tags and all. */
  readonly bitrate: number
  readonly channels: number
}

/**
 * The format of a file by its content, never by its name or declared type. Three parsers must agree: detection of the type,
 * our own walk through its structure (is it complete?) and an independent parser (is it playable audio?).
 * Errors: not_audio; its cause says why.
 */
export async function judgeAudio(path: string): Promise<JudgedAudio> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    return await judge(bytesOf(file, size))
  } finally {
    await file.close()
  }
}

async function judge(bytes: Bytes): Promise<JudgedAudio> {
  const detected = await fileTypeFromTokenizer(new BytesTokenizer(bytes)).catch(() => undefined)
  const format = formatOf(detected?.ext)
  if (!format) throw notAudio(`it is ${detected?.mime ?? 'of no known type'}`)
  // a parser that throws on hostile bytes has judged them
  const verdict = await format.read(bytes).catch((error: Error) => ({ flaw: error.message }))
  if ('flaw' in verdict) throw notAudio(verdict.flaw)
  const parsed = await parse(bytes)
  if (!parsed || !parsed.sampleRate) throw notAudio('it cannot be played')
  const durationMs = verdict.durationMs ?? Math.round((parsed.duration ?? 0) * 1000)
  if (durationMs < MIN_DURATION_MS) throw notAudio(`it plays for ${durationMs} ms`)
  const bitrate = Math.round((bytes.size * 8000) / durationMs)
  if (bitrate < MIN_BITRATE) throw notAudio(`${bytes.size} bytes cannot play for ${durationMs} ms`)
  return { format, durationMs, bitrate, channels: parsed.numberOfChannels ?? STEREO }
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

const notAudio = (reason: string): AppError => new AppError('not_audio', { cause: new Error(reason) })
