/** Random access to a file's bytes; what reads them stays free of I/O. */
export interface Bytes {
  readonly size: number
  /** The bytes from `offset`, fewer than `length` only at the end of the file. */
  at(offset: number, length: number): Promise<Buffer>
}

/** What a format's reader says of a file: how long it plays, or why it cannot be used. */
export type Verdict =
  | {
      /** Null when the file's own tables do not say. */
      readonly durationMs: number | null
      /** Null likewise. */
      readonly sampleRate: number | null
    }
  | Flaw

/** Why a file is refused. */
export interface Flaw {
  readonly flaw: string
}

export const flaw = (reason: string): Flaw => ({ flaw: reason })

export const playsFor = (samples: number, sampleRate: number): Verdict => ({
  durationMs: Math.round((samples / sampleRate) * 1000),
  sampleRate,
})
