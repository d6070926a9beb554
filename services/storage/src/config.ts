/** What storage needs to be told. */
export interface StorageConfig {
  /** A folder on a volume of this instance's own. */
  readonly stagingDir: string
  /** How long a placement that nobody keeps or discards blocks its song. */
  readonly claimTtlMs?: number
}

export const DEFAULT_CLAIM_TTL_MS = 120_000
