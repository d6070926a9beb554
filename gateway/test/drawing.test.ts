import { newId } from '@prelude/platform'
import { WAIT_MS } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { createDrawings } from '../src/share/drawing/drawings.ts'
import { loadFonts, type Typeface } from '../src/share/drawing/fonts.ts'
import { inGlyphs, layOut } from '../src/share/drawing/text.ts'

/** Certificates and covers: what a text of a person may cost. */

const certified = (title: string) => ({
  id: 'c1',
  issuedAt: 0,
  url: 'https://example.org/verify/c1',
  brand: 'Prelude',
  name: 'Ada',
  title,
  files: [],
  songId: 's1',
})

/** Each character is as wide as the size of the font; counts the characters that were measured. */
function countingTypeface() {
  let measured = 0
  const font = {
    unitsPerEm: 1,
    hasGlyphForCodePoint: () => true,
    layout: (text: string) => {
      measured += text.length
      return { advanceWidth: Array.from(text).length }
    },
  }
  return { typeface: [{ font }] as unknown as Typeface, measured: () => measured }
}

test('a text of any length is laid out from its first 300 characters, and ends in an ellipsis', () => {
  for (const long of ['a'.repeat(40_000), 'word '.repeat(8_000), 'aب'.repeat(20_000)]) {
    const { typeface, measured } = countingTypeface()
    const lines = layOut(long, typeface, { size: 1, width: 20, most: 3 })
    expect(lines.map(({ text }) => text.length <= 20)).toEqual([true, true, true])
    expect(lines.at(-1)?.text).toMatch(/…$/)
    expect(measured()).toBeLessThan(10_000)
  }
  const { typeface } = countingTypeface()
  const fitting = layOut('a'.repeat(400), typeface, { size: 1, width: 400, most: 3 })
  expect(fitting.map(({ text }) => text)).toEqual([`${'a'.repeat(300)}…`])
})

/** By script; a text that the fonts have stays as it is. */
const SCRIPTS = {
  'Ọ̀nà mi, fẹ́ràn mi': null,
  'O\u0323\u0300na\u0300': null,
  أغنيتي: null,
  'मेरा गाना': null,
  'Моя песня': null,
  'Το τραγούδι μου': null,
  'Bài hát của tôi': null,
  שלום: 'slvm',
  สวัสดี: 'swasdi',
  ሰላም: 'selam',
  中国歌: 'ZhongGuoGe',
  こんにちは: 'konnichiha',
  안녕: 'AnNyeong',
  ქართული: 'kartuli',
  తెలుగు: 'telugu',
  'My song 🔥': 'My song :fire:',
  '👩‍👧❤️': ':woman::girl::heart:',
  '\u{e000}': 'U+E000',
}
test('no text is drawn as empty boxes: what the fonts lack is said in Latin letters', async () => {
  const { text, bold } = await loadFonts()
  for (const [given, latin] of Object.entries(SCRIPTS))
    for (const typeface of [text, bold]) {
      const drawn = inGlyphs(given, typeface)
      expect(drawn).toBe(latin ?? given.normalize('NFC'))
      const boxes = Array.from(drawn).filter(
        (character) => !typeface.some(({ font }) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)),
      )
      expect([drawn, boxes]).toEqual([drawn, []])
    }
})

test('what was drawn is kept by its content', async () => {
  const drawings = createDrawings({ limitMs: WAIT_MS })
  const [one, same, other, cover] = await Promise.all([
    drawings.certificate(certified('Rain')),
    drawings.certificate(certified('Rain')),
    drawings.certificate(certified('Snow')),
    drawings.cover(newId()),
  ])
  expect(same).toBe(one)
  expect(other.equals(one)).toBe(false)
  expect([one, cover].map((bytes) => bytes.toString('latin1', 1, 4))).toEqual(['PDF', 'PNG'])
  drawings.close()
})

test('a drawing that takes too long ends with its thread, and is not kept', async () => {
  const drawings = createDrawings({ limitMs: 1 })
  for (let n = 0; n < 2; n++)
    await expect(drawings.cover('s1')).rejects.toMatchObject({ code: 'unavailable' })
  drawings.close()
})

test('more drawings than may wait are refused at once', async () => {
  const drawings = createDrawings({ limitMs: WAIT_MS })
  const waiting = Array.from({ length: 100 }, () => drawings.cover(newId()))
  await expect(drawings.cover(newId())).rejects.toThrow('100 drawings wait')
  drawings.close()
  const ends = await Promise.allSettled(waiting)
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']))
})
