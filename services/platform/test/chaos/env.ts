export const AGGREGATES = 12

/** What the processes of a chaos test get in their environment, as JSON. */
export interface ChaosEnv {
  readonly databaseUrl: string
  readonly busUrl: string
}
