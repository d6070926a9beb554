/**
 * SQL of a text as searches compare it: composition, width and case do not count, accents do; `folded` of contracts is the same.
 * The collation is named because the server's own may know the case of ASCII letters only.
 */
export const FOLDED = (text: string): string =>
  `normalize(casefold(normalize(${text}, NFKC) collate pg_unicode_fast), NFKC)`
