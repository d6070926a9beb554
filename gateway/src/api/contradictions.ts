import { isLoopback, isSafe, shortSecrets } from '@prelude/platform'

/** Of the identity stand-in and of the operator there: `make containers` writes them too. Refused with a real issuer. */
export const STAND_IN = { OIDC_PROVIDER_NAME: 'Prelude ID', OPERATOR_UID: 'oM8pv4zVI56ictj9mDma2v' }

interface Related {
  /** Null: an address of this machine. */
  readonly publicUrl: string | null
  /** Null: the identity stand-in of `make start`, where nobody can sign in from another machine. */
  readonly oidcIssuer: string | null
  readonly oidcPublicIssuer: string | null
  readonly oidcClientSecret: string | null
  readonly oidcProviderName: string
  readonly operatorUid: string | null
  readonly rateLimits: boolean
  readonly trustedCountryHeader: string | null
  readonly trustedProxyHops: number
}

/** Contradictions between settings of the gateway, a sentence each. */
export function gatewayContradictions(settings: Related): string[] {
  const { oidcIssuer: issuer, oidcPublicIssuer: publicIssuer } = settings
  const problems: string[] = []
  if (settings.trustedCountryHeader !== null && settings.trustedProxyHops === 0 && isPublic(settings))
    problems.push('TRUSTED_COUNTRY_HEADER is refused with TRUSTED_PROXY_HOPS=0: anybody could send it')
  if (!settings.rateLimits && isPublic(settings))
    problems.push('RATE_LIMITS=off is refused unless PUBLIC_URL is on this machine')
  if (publicIssuer !== null && !isSafe(publicIssuer))
    problems.push('OIDC_PUBLIC_ISSUER must be https, or http on localhost')
  if (hasRealIssuer(settings)) {
    problems.push(...shortSecrets({ OIDC_CLIENT_SECRET: settings.oidcClientSecret }))
    if (publicIssuer !== null && isLoopback(publicIssuer))
      problems.push('OIDC_PUBLIC_ISSUER must be empty with a real OIDC_ISSUER')
    // part of every uid: it cannot be corrected after the first sign-in
    if (settings.oidcProviderName === STAND_IN.OIDC_PROVIDER_NAME)
      problems.push('OIDC_PROVIDER_NAME must be that of your OIDC_ISSUER')
    if (settings.operatorUid === STAND_IN.OPERATOR_UID)
      problems.push('OPERATOR_UID must be your own, not that of the stand-in')
  }
  if (issuer !== null && !isSafe(issuer) && !isStandInOfContainers(settings))
    problems.push('OIDC_ISSUER must be https, or http on localhost')
  return problems
}

/** Whether people elsewhere can use the product, or sign in at a real provider. */
export const isReal = (settings: Pick<Related, 'publicUrl' | 'oidcIssuer' | 'oidcPublicIssuer'>): boolean =>
  isPublic(settings) || hasRealIssuer(settings)

const isPublic = ({ publicUrl, oidcIssuer }: Pick<Related, 'publicUrl' | 'oidcIssuer'>): boolean =>
  publicUrl !== null && !isLoopback(publicUrl) && oidcIssuer !== null

type Issuers = Pick<Related, 'oidcIssuer' | 'oidcPublicIssuer'>

const hasRealIssuer = (issuers: Issuers): boolean =>
  issuers.oidcIssuer !== null && !isLoopback(issuers.oidcIssuer) && !isStandInOfContainers(issuers)

/** There the issuer names its container, and browsers reach it on this machine. */
const isStandInOfContainers = ({ oidcIssuer, oidcPublicIssuer }: Issuers): boolean =>
  oidcIssuer?.startsWith('http:') === true && oidcPublicIssuer !== null && isLoopback(oidcPublicIssuer)
