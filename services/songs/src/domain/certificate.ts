import { isDeepStrictEqual } from 'node:util'
import type { Certificate, CertifiedFile, Charge, Take } from '@prelude/contracts'
import { newestTake } from './takes.ts'

/** The recordings that a certificate is about: the newest of each version. */
const certifiedTakes = (takes: readonly Take[]): readonly Take[] =>
  [1, 2].flatMap((version) => newestTake(takes, version) ?? [])

/** Whether the newest recordings, or what is said of them, have changed, which invalidates the certificate. */
export const isReplaced = (before: readonly Take[], after: readonly Take[]): boolean =>
  !isDeepStrictEqual(certifiedTakes(before), certifiedTakes(after))

export const certifiedFiles = (takes: readonly Take[]): CertifiedFile[] =>
  certifiedTakes(takes).map(({ version, take, sha256, durationMs, made }) => ({
    version,
    take,
    sha256,
    durationMs,
    made,
  }))

/** A certificate holds until its takes are replaced or the song's credits are given back. */
export function standing(replacedBy: string | null, charge: Charge): Pick<Certificate, 'valid' | 'reason'> {
  if (replacedBy !== null) return { valid: false, reason: 'replaced' }
  return charge === 'refunded' ? { valid: false, reason: 'refunded' } : { valid: true, reason: null }
}
