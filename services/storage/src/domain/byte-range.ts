interface ByteRange {
  readonly start: number
  /** Inclusive. */
  readonly end: number
}

/**
 * What a `Range` header asks of an object of this size (RFC 9110 §14): one part, the whole (no header, an invalid one, or
 * several ranges at once, which a server may answer with the whole), or something that lies outside.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'outside' {
  const match = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i.exec(header?.trim() ?? '')
  if (!match) return 'whole'
  const [, first, last, suffix] = match
  if (first === undefined) {
    const length = Math.min(Number(suffix), sizeBytes)
    return length === 0 ? 'outside' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(first)
  const end = last ? Math.min(Number(last), sizeBytes - 1) : sizeBytes - 1
  if (last && Number(last) < start) return 'whole'
  return start >= sizeBytes ? 'outside' : { start, end }
}

/** Does `If-None-Match` name this etag? Weakly compared, as RFC 9110 §13.1.2 says. */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag))

/** May a range be answered? Only when `If-Range` is absent or names this very content; we give no dates to compare. */
export const rangeHolds = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange.trim() === etag
