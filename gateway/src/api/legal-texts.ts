import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, parse, resolve } from 'node:path'

const MAX_BYTES = 200_000
/** Of a file whose name does not say it. */
const DEFAULT_LANGUAGE = 'en'

/** The text of a legal page in every language in which there is a file of it. */
export interface LegalTexts {
  /** What the setting names, as an absolute path. */
  readonly file: string
  /** Of that file: for readers in whose language there is none. */
  readonly language: string
  readonly byLanguage: Readonly<Record<string, string>>
}

/**
 * Reads `terms.txt` and the translations beside it, `terms.fr.txt`. Errors: one that says what is wrong with which file.
 * Read once, at start: the texts change with a restart, like every setting.
 */
export function readLegalTexts(path: string): LegalTexts {
  const file = resolve(path)
  const main = partsOf(file)
  const byLanguage: Record<string, string> = {}
  // the named file last: it holds for its language, whatever else is there
  for (const name of [...namesIn(dirname(file)), basename(file)]) {
    const { stem, language, ext } = partsOf(name)
    if (stem === main.stem && ext === main.ext) byLanguage[language] = readText(join(dirname(file), name))
  }
  return { file, language: main.language, byLanguage }
}

/** `terms.fr.txt`: terms, fr, .txt */
function partsOf(path: string): { stem: string; language: string; ext: string } {
  const { name, ext } = parse(path)
  const [, stem = '', language = DEFAULT_LANGUAGE] = /^(.+?)(?:\.([a-z]{2}))?$/.exec(name) ?? []
  return { stem, language, ext }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // reading the named file says why
  }
}

function readText(file: string): string {
  let text: string
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES / 1000} kB`)
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
    if (text.trim() === '') throw new Error('it is empty')
  } catch (error) {
    throw new Error(`names a text that cannot be shown, ${file}: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return text
}
