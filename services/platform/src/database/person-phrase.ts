import { FOLDED } from './folded.ts'

/**
 * SQL: whether all words of a phrase are found in the name or address of a person, in any order, each by its letters and digits
 * alone, without accents: what a bank leaves of a name and a reference. A word without any does not count, a phrase without any
 * finds nobody. Takes SQL of three texts, of which `name` may be null.
 */
export function isPersonFound(phrase: string, name: string, email: string): string {
  const letters = (text: string): string =>
    `regexp_replace(normalize(${FOLDED(text)}, NFD), '[^[:alnum:]]', '', 'g')`
  const person = letters(`coalesce(${name}, '') || ' ' || ${email}`)
  return `(${letters(`${phrase}::text`)} <> '' and not exists (
            select from regexp_split_to_table(${phrase}::text, '\\s+') word
            where position(${letters('word')} in ${person}) = 0))`
}
