import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { inflateSync } from 'node:zlib'
import { create, type Font } from 'fontkit'

/** The typeface of the web app, then one for the scripts that it lacks; the first file that has a character is taken. */
const SCRIPTS = [
  'instrument-sans/files/instrument-sans-latin',
  'instrument-sans/files/instrument-sans-latin-ext',
  'noto-sans/files/noto-sans-latin',
  'noto-sans/files/noto-sans-latin-ext',
  'noto-sans/files/noto-sans-vietnamese',
  'noto-sans/files/noto-sans-greek',
  'noto-sans/files/noto-sans-greek-ext',
  'noto-sans/files/noto-sans-cyrillic',
  'noto-sans/files/noto-sans-cyrillic-ext',
  'noto-sans/files/noto-sans-devanagari',
  'noto-sans-arabic/files/noto-sans-arabic-arabic',
]

export interface FontFile {
  readonly bytes: Buffer
  readonly font: Font
}

/** A character that no file has would be an empty box: `inGlyphs` says it in others. */
export type Typeface = readonly [FontFile, ...FontFile[]]

export interface Fonts {
  readonly text: Typeface
  readonly bold: Typeface
  /** Latin alone. */
  readonly mono: Typeface
}

let loaded: Promise<Fonts> | undefined

/** Read once, at the first certificate. */
export function loadFonts(): Promise<Fonts> {
  loaded ??= Promise.all([
    typeface(SCRIPTS.map((name) => `${name}-400-normal`)),
    typeface(SCRIPTS.map((name) => `${name}-700-normal`)),
    typeface(['dm-mono/files/dm-mono-latin-400-normal']),
  ]).then(([text, bold, mono]) => ({ text, bold, mono }))
  loaded.catch(() => (loaded = undefined))
  return loaded
}

async function typeface(names: readonly string[]): Promise<Typeface> {
  const [first, ...others] = await Promise.all(names.map(read))
  if (!first) throw new Error('a typeface needs a font')
  return [first, ...others]
}

async function read(name: string): Promise<FontFile> {
  const bytes = unpack(await readFile(fileURLToPath(import.meta.resolve(`@fontsource/${name}.woff`))))
  const font = create(bytes)
  if ('fonts' in font) throw new Error(`${name} is a collection`)
  return { bytes, font }
}

/**
 * A TrueType font from WOFF 1.0 (W3C), whose tables are compressed one by one. fontkit could read it packed, but would inflate it
 * again for each document, in JavaScript.
 */
function unpack(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12)
  const head = Buffer.alloc(12 + count * 16)
  woff.copy(head, 0, 4, 8) // flavour
  const power = Math.floor(Math.log2(count))
  head.writeUInt16BE(count, 4)
  head.writeUInt16BE(16 << power, 6)
  head.writeUInt16BE(power, 8)
  head.writeUInt16BE(count * 16 - (16 << power), 10)
  const tables: Buffer[] = []
  let at = head.length
  for (let entry = 0; entry < count; entry++) {
    const from = 44 + entry * 20
    const [start, packedBytes, bytes] = [4, 8, 12].map((offset) => woff.readUInt32BE(from + offset)) as [
      number,
      number,
      number,
    ]
    const packed = woff.subarray(start, start + packedBytes)
    const to = 12 + entry * 16
    woff.copy(head, to, from, from + 4) // tag
    woff.copy(head, to + 4, from + 16, from + 20) // checksum
    head.writeUInt32BE(at, to + 8)
    head.writeUInt32BE(bytes, to + 12)
    const padding = Buffer.alloc(-bytes & 3)
    tables.push(packedBytes < bytes ? inflateSync(packed) : packed, padding)
    at += bytes + padding.length
  }
  return Buffer.concat([head, ...tables])
}
