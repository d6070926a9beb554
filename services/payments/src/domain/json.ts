/** Reads of a provider's JSON: its shape is its own affair and changes with its versions. */
export type Json = Readonly<Record<string, unknown>>

export const object = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null

export const field = (from: Json | null, key: string): Json | null => object(from?.[key])

export const text = (from: Json | null, key: string): string | null => {
  const value = from?.[key]
  return typeof value === 'string' && value !== '' ? value : null
}

export const whole = (from: Json | null, key: string): number | null => {
  const value = from?.[key]
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

/** As `whole`, also when it is written as text. */
export const wholeOrText = (from: Json | null, key: string): number | null =>
  whole(from, key) ?? (/^\d{1,15}$/.test(text(from, key) ?? '') ? Number(text(from, key)) : null)

export const flag = (from: Json | null, key: string): boolean | null => {
  const value = from?.[key]
  return typeof value === 'boolean' ? value : null
}

/** The id behind a reference that may be expanded to the whole object. */
export const reference = (from: Json | null, key: string): string | null =>
  text(from, key) ?? text(field(from, key), 'id')
