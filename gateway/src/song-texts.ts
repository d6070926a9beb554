import { MAX_LYRICS, MAX_STYLE } from '@prelude/contracts'
import { AppError } from '@prelude/platform'

const BLANK = /^\p{White_Space}*$/u

/** In code points. */
export const isTooLong = (text: string, max: number): boolean =>
  text.length > max && Array.from(text).length > max

/** Spec §5 and §8: both texts are required; stored as sent. Errors: lyrics_and_style_required, text_too_long. */
export function assertTexts({ lyrics, style }: { lyrics: string; style: string }): void {
  if (BLANK.test(lyrics) || BLANK.test(style)) throw new AppError('lyrics_and_style_required')
  if (isTooLong(lyrics, MAX_LYRICS) || isTooLong(style, MAX_STYLE)) throw new AppError('text_too_long')
}
