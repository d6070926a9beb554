import { oneLine } from './text.ts'

/** Titles before names. */
const TITLES = new Set(
  'mr mrs ms miss mx dr prof sir madam dame chief alhaji alhaja mallam hon rev revd fr pastor bishop engr barr arc capt col gen lt m mme mlle sr sra srta dom dona don herr frau dott ing'.split(
    ' ',
  ),
)
/** Written after a comma that does not turn the name round. */
const SUFFIX = /^(?:jr|sr|i{2,3}|iv|ph\.?d|m\.?d|esq|mba|cpa)\b/iu
/** Of letters with their marks, joiners, apostrophes and hyphens, perhaps with emoji; initials ("J.") are none. */
const FIRST_NAME =
  /^(?=.*\p{L})(?!\p{L}\.)(?:[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Component}'’ʼ·-]|\u200c)+$/u
const DIGITS = /\p{Nd}/u
/** These write the family name first, and greet with the whole. */
const WHOLE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー・々 ]+$/u

/** One line without characters that nobody sees; joiners, and what is part of an emoji, stay. */
const clean = (name: string): string =>
  oneLine(
    name.replace(
      /(?!\u200c|\u200d|\ufe0e|\ufe0f|[\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/gu,
      '',
    ),
  )

/** An address or a link. */
const isAddress = (word: string): boolean =>
  /@|:\/\/|^www\.|[^.]\.[a-z]{2,}(?:\/|\W*$)/u.test(word.normalize('NFKC'))

/** The name of an account as it is written, without addresses and links, which some identity providers call a name; null where nothing is left. */
export function wholeName(name: string | null): string | null {
  const words = clean(name ?? '').split(' ')
  const text = words.filter((word) => !isAddress(word)).join(' ')
  return /\p{L}|\p{Extended_Pictographic}/u.test(text) ? text : null
}

/** What a person is called in greetings, and by strangers: the first name. Null unless that is plain. */
export const nameOf = ({
  name,
  givenName,
}: {
  readonly name: string | null
  readonly givenName: string | null
}): string | null => firstNameIn(givenName) ?? firstNameIn(name)

function firstNameIn(name: string | null): string | null {
  const text = wholeName(name)
  if (text === null) return null
  if (WHOLE.test(text)) return text
  const [before = '', after = ''] = text.split(/[,،]/u, 2).map((part) => part.trim())
  // directories write "Lovelace, Ada"
  const words = (after === '' || SUFFIX.test(after) ? before : after).split(' ')
  const titled = words.findIndex((word) => !TITLES.has(word.replace(/\.$/u, '').toLowerCase()))
  const left = titled > 0 ? words.slice(titled) : words
  // of "Mr Smith" the family name is left
  if (titled < 0 || (titled > 0 && left.length < 2)) return null
  const first = left.find((word) => /\p{L}/u.test(word)) ?? ''
  return FIRST_NAME.test(first) && !DIGITS.test(first) ? first : null
}
