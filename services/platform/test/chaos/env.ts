import { identitiesFrom } from '../../src/identity.ts'

export const AGGREGATES = 12

/** The settings of the processes of a chaos test, as JSON in their environment. */
export interface ChaosEnv {
  readonly songsUrl: string
  readonly creditsUrl: string
  readonly busUrl: string
  readonly seed: number
}

/** As `testIdentity`, without the test runner. */
export const chaosIdentity = identitiesFrom('test-internal-secret')
