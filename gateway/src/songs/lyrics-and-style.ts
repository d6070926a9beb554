import { isBlank, isTooLong, MAX_LYRICS, MAX_STYLE } from '@prelude/contracts'
import { AppError } from '@prelude/platform'

/**
 * Spec §5 and §8: neither text is blank; they are stored as sent. `undefined`: a correction does not change it.
 * Errors: lyrics_and_style_required, text_too_long.
 */
export function assertLyricsAndStyle({
  lyrics,
  style,
}: Record<'lyrics' | 'style', string | undefined>): void {
  if ([lyrics, style].some((text) => text !== undefined && isBlank(text)))
    throw new AppError('lyrics_and_style_required')
  if (isTooLong(lyrics ?? '', MAX_LYRICS) || isTooLong(style ?? '', MAX_STYLE))
    throw new AppError('text_too_long')
}
