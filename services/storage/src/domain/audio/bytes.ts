/** Random access to a file's bytes; what reads them stays free of I/O. */
export interface Bytes {
  readonly size: number
  /** The bytes from `offset`, fewer than `length` only at the end of the file. */
  at(offset: number, length: number): Promise<Buffer>
}

/** A range of them, as if it were a file. */
export const slice = (bytes: Bytes, from: number, size: number): Bytes => ({
  size,
  at: (offset, length) => bytes.at(from + offset, Math.max(0, Math.min(length, size - offset))),
})

/** What a file holds, by its structure and not by what its headers claim of it, or why it is refused. */
export type Verdict = Sound | Flaw

export interface Sound {
  readonly format: FormatName
  readonly durationMs: number
  readonly sampleRate: number
  readonly channels: number
}

export type FormatName = 'mp3' | 'wav' | 'flac' | 'm4a' | 'ogg' | 'opus' | 'oggflac'

/** Why a file is refused: sentences for the person who chose it. */
export interface Flaw {
  readonly flaw: string
}

export const flaw = (sentence: string): Flaw => ({ flaw: sentence })

/** Of a coding that Chromium or Firefox cannot play. */
export const unplayable = (container: string, coding: string): Flaw =>
  flaw(`This ${container} holds ${coding}, which not every browser can play.`)

export const millisecondsOf = (samples: number, sampleRate: number): number =>
  Math.round((samples / sampleRate) * 1000)
