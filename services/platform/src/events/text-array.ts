const TEXT = 25
const HEADER_BYTES = 20

/**
 * An argument of type text[], in PostgreSQL's binary form: written as text, each quote of each element is escaped by us and
 * taken off again by the server, and events are full of them.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)))
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), HEADER_BYTES)
  const buffer = Buffer.allocUnsafe(size)
  buffer.writeInt32BE(1, 0) // dimensions
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  buffer.writeInt32BE(TEXT, 8)
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16) // the first index
  let at = HEADER_BYTES
  for (const [i, value] of values.entries()) {
    at = buffer.writeInt32BE(lengths[i] ?? 0, at)
    if (value !== null) at += buffer.write(value, at)
  }
  return buffer
}
