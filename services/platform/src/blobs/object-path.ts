/** Longest piece of a file's name; file systems allow 255 bytes. */
const PIECE = 200
/** Ends a folder whose name goes on in the next level. Never part of an encoded name. */
const GOES_ON = '+'

/**
 * Where an object lies below the root: each segment with every byte but letters, digits, `_`, `-` and inner dots
 * percent-encoded, so that no name leaves the root, hides, or means something to a file system; a long one continues in
 * the next folder. Errors: as `segmentsOf`.
 */
export function fileOf(path: string): string {
  return segmentsOf(path)
    .flatMap((segment) => pieces(encode(segment)))
    .join('/')
}

/** Errors: a path with an empty, `.` or `..` segment, or with text that is not well formed. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/')
  if (segments.some((segment) => ['', '.', '..'].includes(segment) || !segment.isWellFormed()))
    throw new Error(`not an object path: ${JSON.stringify(path)}`)
  return segments
}

/** The object that lies in this file (relative to the root): the opposite of `fileOf`. */
export function pathOf(file: string): string {
  return file
    .replaceAll(`${GOES_ON}/`, '')
    .split('/')
    .map((segment) => decodeURIComponent(segment))
    .join('/')
}

const encode = (segment: string): string =>
  [...Buffer.from(segment)]
    .map((byte, i) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9_-]/.test(character) || (character === '.' && i > 0)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

function pieces(name: string): string[] {
  if (name.length <= PIECE) return [name]
  return [name.slice(0, PIECE) + GOES_ON, ...pieces(name.slice(PIECE))]
}
