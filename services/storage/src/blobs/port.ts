import type { Readable } from 'node:stream'

export interface BlobInfo {
  readonly path: string
  readonly sizeBytes: number
  /** ms since the epoch */
  readonly modifiedAt: number
}

/**
 * Objects by path, like `songs/{id}/version1_name.mp3`: segments of letters, digits, `_`, `-` and `.`, at most 255 characters
 * each and 1,024 in all; none begins with `-` or `.`, and the first with a letter. Calls with another path are refused, and
 * what lies in the store under another name is not listed.
 */
export interface BlobStore {
  /** Whole or not at all; replaces what is there. Rejects when the source fails or its length is not `sizeBytes`. */
  put(
    path: string,
    source: Readable,
    options: { sizeBytes: number; contentType: string; signal?: AbortSignal },
  ): Promise<void>
  /**
   * The same from a whole file on this machine, which is synced and must not change afterwards: a store on the same disk
   * links the file instead of a copy.
   */
  putFile(
    path: string,
    file: string,
    options: { sizeBytes: number; contentType: string; signal?: AbortSignal },
  ): Promise<void>
  /** Bytes `start` to `end` (inclusive) or all. Null when there is no such object. */
  get(path: string, range?: { start: number; end: number }): Promise<Readable | null>
  head(path: string): Promise<BlobInfo | null>
  /** Also fine when there is no such object. */
  delete(path: string): Promise<void>
  list(prefix: string): AsyncIterable<BlobInfo>
  /** An address that serves the object until it expires, with this Content-Disposition; null when the store has no public endpoint. */
  publicUrl(path: string, expiresMs: number, disposition?: string): Promise<string | null>
  ping(): Promise<void>
  close(): Promise<void>
}
