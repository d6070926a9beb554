/** What is sent to a music generator: nothing that names a person. */
export interface GeneratorRequest {
  readonly lyrics: string
  readonly prompt: string
  readonly bpm: number | null
  /** ISO 639-1. */
  readonly vocalLanguage: string | null
  /** The generator may not rewrite the words of the prompt. */
  readonly keepWords: boolean
  /** A part of this audio is made again, from and to in milliseconds. */
  readonly again: { readonly file: string; readonly fromMs: number; readonly toMs: number } | null
}

/**
 * `busy`: it did not take the task; the same request may be sent again. `lost`: it may have taken it, and nothing can say so: the
 * request is never sent again. `failed`: it refused the task.
 */
export type Begun =
  | { readonly state: 'begun'; readonly taskId: string; readonly queuePosition: number | null }
  | { readonly state: 'busy' | 'lost' | 'failed'; readonly error: string }

export type Look =
  | { readonly state: 'queued' | 'making' }
  /** Queued, running or forgotten: this answer does not tell them apart. */
  | { readonly state: 'unclear' }
  | {
      readonly state: 'done'
      readonly file: string
      readonly seed: number | null
      /** Tool and model. */
      readonly with: string
    }
  | { readonly state: 'failed'; readonly error: string }

export interface GeneratorLoad {
  /** Tasks in its queue. */
  readonly queued: number
  readonly meanJobMs: number | null
}

/** No connection was made, so that nothing of the request was sent. */
export class NotConnected extends Error {}

/** A generator of music. Texts from it are cut and stripped of what cannot be stored; they may still hold anything. */
export interface Generator {
  /** Never rejects but by `signal`. */
  begin(request: GeneratorRequest, signal: AbortSignal): Promise<Begun>
  /** The tasks that it answered something about; none when it cannot be asked. Never rejects but by `signal`. */
  look(taskIds: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Look>>
  /**
   * Writes the result of a task into a file, as `file` of its look names it. Errors: NotConnected; one with a reason in words where
   * the name, the answer or the size is not allowed, or where nothing came for a minute.
   */
  fetch(file: string, into: string, signal: AbortSignal): Promise<void>
  /** Null where it does not say. Never rejects but by `signal`. */
  load(signal: AbortSignal): Promise<GeneratorLoad | null>
}
