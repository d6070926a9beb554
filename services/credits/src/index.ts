export { createCredits } from './credits.ts'
export { creditsInvariants } from './invariants.ts'
