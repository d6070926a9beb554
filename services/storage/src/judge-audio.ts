import { AppError } from '@prelude/platform'
import { fileTypeFromFile } from 'file-type'
import { parseFile } from 'music-metadata'
import { type FileHandle, open } from 'node:fs/promises'
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
 * What the file is by its content, never by its name or declared type. Three readers must agree: detection of the type,
 * our own walk through its structure (is it whole?) and an independent parser (is it audio that can be played?).
 * Errors: not_audio; its cause says why.
 */
export async function judgeAudio(path: string): Promise<JudgedAudio> {
  const detected = await fileTypeFromFile(path).catch(() => undefined)
  const format = formatOf(detected?.ext)
  if (!format) throw notAudio(`it is ${detected?.mime ?? 'of no known type'}`)
  const { sizeBytes, verdict } = await readStructure(path, format)
  if ('flaw' in verdict) throw notAudio(verdict.flaw)
  const parsed = await parse(path)
  if (!parsed || !parsed.sampleRate) throw notAudio('it cannot be played')
  const durationMs = verdict.durationMs ?? Math.round((parsed.duration ?? 0) * 1000)
  if (durationMs < MIN_DURATION_MS) throw notAudio(`it plays for ${durationMs} ms`)
  const bitrate = Math.round((sizeBytes * 8000) / durationMs)
  if (bitrate < MIN_BITRATE) throw notAudio(`${sizeBytes} bytes cannot play for ${durationMs} ms`)
  return { format, durationMs, bitrate, channels: parsed.numberOfChannels ?? STEREO }
}

async function readStructure(path: string, format: Format) {
  const file = await open(path)
  try {
    const { size: sizeBytes } = await file.stat()
    // a reader that stumbles over hostile bytes has judged them
    const verdict = await format
      .read(bytesOf(file, sizeBytes))
      .catch((error: Error) => ({ flaw: error.message }))
    return { sizeBytes, verdict }
  } finally {
    await file.close()
  }
}

async function parse(path: string) {
  try {
    return (await parseFile(path, { skipCovers: true })).format
  } catch {
    return null
  }
}

/** Reads a window at a time: the walks are mostly forward, in small steps. */
function bytesOf(file: FileHandle, size: number): Bytes {
  let from = 0
  let window = Buffer.alloc(0)
  return {
    size,
    at: async (offset, length) => {
      if (offset < from || offset + length > from + window.length) {
        const wanted = Math.max(0, Math.min(Math.max(length, WINDOW_BYTES), size - offset))
        const buffer = Buffer.alloc(wanted)
        const { bytesRead } = wanted > 0 ? await file.read(buffer, 0, wanted, offset) : { bytesRead: 0 }
        window = buffer.subarray(0, bytesRead)
        from = offset
      }
      return window.subarray(offset - from, offset - from + length)
    },
  }
}

const notAudio = (reason: string): AppError => new AppError('not_audio', { cause: new Error(reason) })
