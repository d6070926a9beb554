import { FOLDED } from './folded.ts'

/**
 * SQL: whether a phrase is found in the name or address of a person: all its words, in any order and case, or its letters and
 * digits alone, which is what a bank leaves of a reference. Takes SQL of three texts, of which `name` may be null.
 */
export function isPersonFound(phrase: string, name: string, email: string): string {
  const letters = (text: string): string => `regexp_replace(${FOLDED(text)}, '[^[:alnum:]]', '', 'g')`
  const person = `coalesce(${name}, '') || ' ' || ${email}`
  return `(not exists (select from regexp_split_to_table(${FOLDED(`${phrase}::text`)}, '\\s+') word
             where position(word in ${FOLDED(person)}) = 0)
           or position(nullif(${letters(`${phrase}::text`)}, '') in ${letters(person)}) > 0)`
}
