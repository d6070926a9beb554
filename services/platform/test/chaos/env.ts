export const AGGREGATES = 12

/** The settings of the processes of a chaos test, as JSON in their environment. */
export interface ChaosEnv {
  readonly databaseUrl: string
  readonly busUrl: string
  readonly seed: number
}
