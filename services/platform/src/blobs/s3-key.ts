import { segmentsOf } from './object-path.ts'

/**
 * The key under which an object lies: its path, with all ASCII characters but letters, digits and `_ - . /` written as
 * `~` and two hexadecimal digits. Stores differ in how they escape keys in a list, where the client also trims keys
 * and parses some as numbers; such keys are never used. Errors: as `segmentsOf`.
 */
export function keyOf(path: string): string {
  segmentsOf(path)
  return escaped(path)
}

/** For a prefix of paths, the prefix of their keys. */
export const escaped = (prefix: string): string =>
  prefix.replace(/[^\w./\u0080-\u{10FFFF}-]|^[\d.-]/gu, (character) => `~${hex(character)}`)

/** The opposite of `keyOf`. */
export const pathOf = (key: string): string =>
  key.replace(/~([0-9A-F]{2})/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const hex = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')
