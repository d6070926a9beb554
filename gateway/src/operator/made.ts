import { type MadeOfSome, readMadeOf } from '@prelude/contracts'
import { AppError } from '@prelude/platform'

/** What was sent as `made` of these versions. Errors: invalid_request, invalid_text. */
export function madeOf(sent: unknown, versions: readonly (1 | 2)[]): MadeOfSome {
  const made = readMadeOf(sent, versions)
  if (typeof made !== 'string') return made
  throw new AppError(made, { errors: [{ path: 'made', message: 'must say how each version was made' }] })
}
