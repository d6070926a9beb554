export { createCredits, creditsSchema } from './credits.ts'
export { creditsInvariants } from './invariants.ts'
export { creditsSettings } from './config.ts'
