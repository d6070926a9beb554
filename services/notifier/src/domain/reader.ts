import type { Language } from '@prelude/contracts'
import { en, type Words } from './words/en.ts'
import { fr } from './words/fr.ts'
import { pt } from './words/pt.ts'

/** Who reads a mail: the language, and the time zone (an IANA name) where it is known. */
export interface Reader {
  readonly language: Language
  readonly timeZone: string | null
}

/** The operator, and people of whom nothing is known. */
export const DEFAULT_READER: Reader = { language: 'en', timeZone: null }

const WORDS: Readonly<Record<Language, Words>> = { en, fr, pt }

export const wordsFor = ({ language }: Pick<Reader, 'language'>): Words => WORDS[language]

/** Weekday, date and time in the reader's zone, with its name. */
export function timeFor({ language, timeZone }: Reader, at: number): string {
  const time = new Intl.DateTimeFormat(language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timeZone ?? 'UTC',
  }).format(at)
  return timeZone === null ? `${time} UTC` : `${time} (${timeZone})`
}

export const dateFor = (reader: Reader, at: number): string =>
  new Intl.DateTimeFormat(wordsFor(reader).locale, {
    dateStyle: 'long',
    timeZone: reader.timeZone ?? 'UTC',
  }).format(at)

/** Credits with two decimals. */
export const creditsFor = (reader: Reader, credits: number): string =>
  new Intl.NumberFormat(wordsFor(reader).locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: false,
  }).format(credits)

export const moneyFor = (reader: Reader, amount: number, currency: string): string =>
  new Intl.NumberFormat(wordsFor(reader).moneyLocale, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  }).format(amount)
