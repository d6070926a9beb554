/**
 * The pattern of a text that is not blank: something besides White_Space, Default_Ignorable_Code_Point (the Hangul fillers among
 * them) and the empty braille pattern, of which a reader would see nothing.
 */
export const VISIBLE = '[^\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\u2800]'
const VISIBLE_CHARACTER = new RegExp(VISIBLE, 'u')

export const isBlank = (text: string): boolean => !VISIBLE_CHARACTER.test(text)

/** In code points. */
export const isTooLong = (text: string, max: number): boolean =>
  text.length > max && Array.from(text).length > max

/** Text with a NUL or a lone surrogate cannot be stored. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** A text with a line feed for each line break that Unicode makes mandatory (UAX #14): browsers and mails know no other. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n|[\v\f\r\u0085\u2028\u2029]/g, '\n')

/** A text on one line, as subjects and headers must be: breaks, controls and other white space are one space. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** Text as searches compare it: composition, width and case do not count, accents do. The same as `FOLDED` in SQL. */
export const folded = (text: string): string =>
  text
    .normalize('NFKC')
    // only upper case makes ss of ß, and only lower case ß of ẞ; the dotless ı has no other case of its own
    .replaceAll(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
    .normalize('NFKC')
