import anyAscii from 'any-ascii'
import bidiFactory from 'bidi-js'
import type { FontFile, Typeface } from './fonts.ts'

/** Characters that stand side by side in one font, in the order in which they are drawn: shaping turns Arabic itself. */
interface Run {
  readonly file: FontFile
  readonly text: string
}

interface Line {
  /** As it is read. */
  readonly text: string
  /** From left to right. */
  readonly runs: readonly Run[]
}

// its types describe a CommonJS module; what Node imports is the function
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()
const ARABIC = /\p{Script=Arabic}/u
const ELLIPSIS = '…'

/** More than the lines of a page hold: no text may cost more than these characters. */
const MAX_CHARACTERS = 300

/** Lines of at most `width` points, broken between words or, where one is too long, in it; the last one may end in an ellipsis. */
export function layOut(
  whole: string,
  typeface: Typeface,
  { size, width, most }: { size: number; width: number; most: number },
): Line[] {
  const text = Array.from(whole).slice(0, MAX_CHARACTERS).join('')
  const fits = (line: string): boolean => widthOf(line, typeface, size) <= width
  const lines: string[] = []
  let line = ''
  // a word with the space after it, or what fits of one
  for (const piece of text.match(/\S+\s*/gu) ?? []) {
    if (lines.length > most) break
    if (line !== '' && !fits(line + piece.trimEnd())) {
      lines.push(line)
      line = ''
    }
    line += piece
    while (lines.length <= most && !fits(line.trimEnd())) {
      const part = longest(line, fits)
      lines.push(part)
      line = line.slice(part.length)
    }
  }
  if (line.trim() !== '') lines.push(line)
  const kept = lines.slice(0, most).map((one) => one.trimEnd())
  if (lines.length > most || text !== whole) {
    const last = kept.pop() ?? ''
    kept.push(longest(last, (part) => fits(part + ELLIPSIS)) + ELLIPSIS)
  }
  return kept.map((one) => ({ text: one, runs: visualRuns(one, typeface) }))
}

/** Of emoji. */
const JOINERS = /\u200d(?=\p{Extended_Pictographic})/gu

/** The text with Latin letters for what the typeface has no glyph of: "selame" for ሰላም, ":fire:" for an emoji, else a number. */
export const inGlyphs = (text: string, typeface: Typeface): string =>
  Array.from(text.normalize('NFC').replace(JOINERS, ''), (character) =>
    typeface.some((file) => has(file, character)) ? character : anyAscii(character) || numberOf(character),
  ).join('')

/** Nothing for what is not seen, as half of an emoji's colour. */
const numberOf = (character: string): string =>
  /\p{Default_Ignorable_Code_Point}|\p{Mark}/u.test(character)
    ? ''
    : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}`

/** The longest beginning that fits, and one character at least. */
function longest(text: string, fits: (part: string) => boolean): string {
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
  let [fitting, failing] = [1, characters.length + 1]
  while (failing - fitting > 1) {
    const middle = Math.floor((fitting + failing) / 2)
    if (fits(characters.slice(0, middle).join(''))) fitting = middle
    else failing = middle
  }
  return characters.slice(0, fitting).join('')
}

const widthOf = (text: string, typeface: Typeface, size: number): number =>
  visualRuns(text, typeface).reduce(
    (sum, { file, text: part }) => sum + (file.font.layout(part).advanceWidth / file.font.unitsPerEm) * size,
    0,
  )

/** By the Unicode Bidirectional Algorithm. */
function visualRuns(text: string, typeface: Typeface): Run[] {
  if (text === '') return []
  const levels = bidi.getEmbeddingLevels(text)
  const levelAt = (at: number): number => levels.levels[at] ?? 0
  const logical: { start: number; end: number; file: FontFile }[] = []
  let at = 0
  for (const character of text) {
    const last = logical.at(-1)
    const file = fileFor(character, typeface, last?.file)
    if (last && last.file === file && levelAt(last.start) === levelAt(at)) last.end += character.length
    else logical.push({ start: at, end: at + character.length, file })
    at += character.length
  }
  const order = bidi.getReorderedIndices(text, levels)
  const positionOf = ({ start }: { start: number }): number => order.indexOf(start)
  return logical
    .toSorted((one, other) => positionOf(one) - positionOf(other))
    .map(({ start, end, file }) => {
      const part = text.slice(start, end)
      const isTurned = levelAt(start) % 2 === 1 && !ARABIC.test(part)
      return { file, text: isTurned ? mirrored(part) : part }
    })
}

const mirrored = (text: string): string =>
  Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? character)
    .toReversed()
    .join('')

/** The font of the character before, so that accents and spaces stay with their word; else the first that has it. */
function fileFor(character: string, typeface: Typeface, before: FontFile | undefined): FontFile {
  return before && has(before, character)
    ? before
    : (typeface.find((file) => has(file, character)) ?? typeface[0])
}

const has = ({ font }: FontFile, character: string): boolean =>
  font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)
