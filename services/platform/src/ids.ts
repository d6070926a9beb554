import { v5, v7, validate } from 'uuid'

/** A new UUIDv7: sorts by time of making, also within a millisecond. */
export const newId = (): string => v7()

/** A UUIDv5: one for each name beside an id. */
export const derivedId = (id: string, name: string): string => v5(name, id)

export const isId = (text: string): boolean => validate(text)
