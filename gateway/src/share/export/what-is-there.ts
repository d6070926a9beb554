import type { Logger } from '@prelude/platform'

/** What could not be read for an archive: the rest of it is packed all the same. */
export interface Missing {
  readonly names: string[]
  readonly logger: Logger
}

export function noteMissing({ names, logger }: Missing, name: string, error: unknown): void {
  logger.warn({ err: error }, 'something of an archive could not be read')
  names.push(name)
}

/** The items up to the first that cannot be read; then `name` is missing. */
export async function* whatIsThere<T>(
  missing: Missing,
  name: string,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    noteMissing(missing, name, error)
  }
}
