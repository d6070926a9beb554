import { creditsMutants } from './credits.ts'
import { eventsMutants } from './events.ts'
import type { Mutant } from './mutant.ts'
import { ordersMutants } from './orders.ts'
import { paymentsMutants } from './payments.ts'
import { securityMutants } from './security.ts'
import { trustMutants } from './trust.ts'

export const MUTANTS: readonly Mutant[] = [
  ...eventsMutants,
  ...creditsMutants,
  ...ordersMutants,
  ...paymentsMutants,
  ...trustMutants,
  ...securityMutants,
]
