import { AppError } from '@prelude/platform'

/** The version in the path. Errors: song_not_found for any other than 1 or 2. */
export function versionOf(n: string | undefined): 1 | 2 {
  if (n !== '1' && n !== '2') throw new AppError('song_not_found')
  return n === '1' ? 1 : 2
}
