import { creditsMutants } from './credits.ts'
import { eventsMutants } from './events.ts'
import { ordersMutants } from './orders.ts'
import { paymentsMutants } from './payments.ts'
import { securityMutants } from './security.ts'
import { trustMutants } from './trust.ts'

/** A bug planted in a copy of the product: text that is replaced, and the tests that must turn red. */
export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** By file: the beginnings of titles. */
  readonly red: Readonly<Record<string, readonly string[]>>
}

export interface Edit {
  readonly file: string
  /** Found exactly once. */
  readonly from: string
  readonly to: string
}

export const MUTANTS: readonly Mutant[] = [
  ...eventsMutants,
  ...creditsMutants,
  ...ordersMutants,
  ...paymentsMutants,
  ...trustMutants,
  ...securityMutants,
]
