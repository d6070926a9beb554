import { v7, validate } from 'uuid'

/** A new UUIDv7: sorts by time of making, also within a millisecond. */
export const newId = (): string => v7()

export const isId = (text: string): boolean => validate(text)
