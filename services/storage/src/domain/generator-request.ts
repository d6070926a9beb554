import { folded, oneLine, type Song, withLineFeeds } from '@prelude/contracts'
import type { GeneratorRequest } from '../generator/port.ts'

/**
 * What a music generator is asked for, by the words of a song: its style and the words of its brief as a prompt, its language as a code.
 * Not the reference, which may name a person.
 */
export function generatorRequest({
  lyrics,
  style,
  brief,
}: Pick<Song, 'lyrics' | 'style' | 'brief'>): Omit<GeneratorRequest, 'again'> {
  const { genre, mood, tempoBpm, voice, language, instruments = [], keepWords } = brief ?? {}
  const code = language === undefined ? undefined : codeOf(language)
  const isSung = code !== undefined && SUNG.has(code)
  const words = [genre, mood, voice, ...instruments, isSung ? undefined : language]
  return {
    lyrics: withLineFeeds(lyrics),
    prompt: [withLineFeeds(style), ...words.map((word) => oneLine(word ?? ''))].filter(Boolean).join(', '),
    bpm: tempoBpm ?? null,
    vocalLanguage: code ?? null,
    keepWords: keepWords ?? false,
  }
}

/** The languages that ACE-Step 1.5 was made for. Of another one the prompt has the name too. */
const SUNG = new Set(
  (
    'ar az bg bn ca cs da de el en es fa fi fr he hi hr ht hu id is it ja ko la lt ms ne nl no pa pl pt ro ru sa sk sr sv sw ta te ' +
    'th tl tr uk ur vi yue zh'
  ).split(' '),
)

/** The languages of the product's pages, in which people name a language. */
const NAMED_IN = ['en', 'fr', 'pt']

let codes: ReadonlyMap<string, string> | undefined

/** By its name in English, French, Portuguese or the language itself, or a code, also with a region. */
function codeOf(language: string): string | undefined {
  codes ??= readCodes()
  return codes.get(plain(language)) ?? codes.get(plain(language.replace(/[-_]\p{L}{2,4}\s*$/u, '')))
}

const plain = (name: string): string => folded(name.normalize('NFD').replaceAll(/\p{M}/gu, '')).trim()

/** Names of all languages with a code of two letters, and of those that are sung. */
function readCodes(): ReadonlyMap<string, string> {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  const pairs = letters.flatMap((first) => letters.map((second) => first + second))
  const found = new Map<string, string>()
  const names = NAMED_IN.map((locale) => new Intl.DisplayNames(locale, OPTIONS))
  // later names replace earlier ones: of two codes for one language the one that is sung
  for (const code of [...pairs, ...SUNG]) {
    const own = Intl.DisplayNames.supportedLocalesOf(code).map(
      (locale) => new Intl.DisplayNames(locale, OPTIONS),
    )
    const named = [...names, ...own].flatMap((one) => one.of(code) ?? [])
    for (const name of named.length > 0 ? [code, ...named] : []) found.set(plain(name), code)
  }
  return found
}

const OPTIONS: Intl.DisplayNamesOptions = { type: 'language', fallback: 'none' }
