import { LARGE_AMOUNT_CENTS, type LegalPage, STANDARD_TERMS } from '@prelude/contracts'
import {
  credits,
  decimal,
  foreignSecret,
  integer,
  oneOf,
  publicOrigin,
  readConfig,
  type Setting,
  text,
  url,
} from '@prelude/platform'
import { type LegalTexts, readLegalTexts } from './legal-texts.ts'
import { passwordHash } from './password-hash.ts'

/** The settings of the gateway; frozen. */
export interface GatewayConfig {
  /** Origin under which browsers reach the product; https makes cookies Secure. */
  readonly publicUrl: string
  readonly brandName: string
  readonly supportEmail: string
  /** Where submits are announced. */
  readonly operatorEmail: string
  /** URL (https: or mailto:) to which vulnerabilities are reported; when absent the operator's address. */
  readonly securityContact: string | null
  readonly operatorUid: string
  /** As `hashPassword` writes it. */
  readonly operatorPasswordHash: string
  readonly oidc: {
    /** Where the gateway reaches the provider. */
    readonly issuer: string
    /** Where browsers reach it, and what its tokens name; when absent the same as `issuer`. */
    readonly publicIssuer: string | null
    readonly clientId: string
    readonly clientSecret: string
    /** Part of every uid, so it must never change once people have signed in. */
    readonly providerName: string
  }
  readonly bank: {
    readonly bankName: string
    readonly accountName: string
    readonly accountNumber: string
    readonly note: string
  }
  /** What people read before they pay; the songs service, with the same settings, keeps to it. */
  readonly terms: {
    readonly turnaroundHours: number
    readonly changesIncluded: number
    readonly changesDays: number
  }
  /** The texts of the house; null: there is no such page. */
  readonly legal: Readonly<Record<LegalPage, LegalTexts | null>>
  readonly rateLimits: boolean
  /** Larger adjustments and refunds need the admin password again. */
  readonly confirmAboveCents: number
  /** Lower-case name of a header in which a trusted CDN gives the country code. */
  readonly trustedCountryHeader: string | null
  /** Proxies in front that each append to x-forwarded-for; 0: the socket's address counts. */
  readonly trustedProxyHops: number
  /** Folder of the built web app. */
  readonly webRoot: string
  /** Origin from which audio is served by expiring URLs, if any. */
  readonly blobsPublicUrl: string | null
  /** An upload whose sender sends nothing for so long is ended; UPLOAD_SILENCE_MS if not given. */
  readonly uploadSilenceMs?: number
}

const setting = <T>(env: string, means: string, parse: (text: string) => T, fallback?: T): Setting<T> => ({
  env,
  means,
  parse,
  ...(fallback !== undefined && { fallback }),
})

export const gatewaySettings = {
  publicUrl: setting('PUBLIC_URL', 'origin under which browsers reach the product', publicOrigin),
  brandName: setting('BRAND_NAME', 'name of the product', text),
  supportEmail: setting('SUPPORT_EMAIL', 'address that people can write to', text),
  operatorEmail: setting('OPERATOR_EMAIL', 'where submits are announced', text),
  securityContact: setting<string | null>(
    'SECURITY_CONTACT',
    'where to report vulnerabilities, https: or mailto:',
    url,
    null,
  ),
  operatorUid: setting('OPERATOR_UID', "the operator's uid, as /api/me shows it", text),
  operatorPasswordHash: setting('OPERATOR_PASSWORD_HASH', 'hash of the admin password', passwordHash),
  issuer: setting('OIDC_ISSUER', 'identity provider', url),
  publicIssuer: setting<string | null>(
    'OIDC_PUBLIC_ISSUER',
    'identity provider as browsers reach it',
    url,
    null,
  ),
  clientId: setting('OIDC_CLIENT_ID', 'client id at the identity provider', text),
  clientSecret: setting('OIDC_CLIENT_SECRET', 'client secret at the identity provider', foreignSecret()),
  providerName: setting('OIDC_PROVIDER_NAME', 'name of the provider, part of every uid', text),
  bankName: setting('BANK_NAME', 'bank for Naira transfers', text),
  accountName: setting('BANK_ACCOUNT_NAME', 'account holder for Naira transfers', text),
  accountNumber: setting('BANK_ACCOUNT_NUMBER', 'account for Naira transfers', text),
  bankNote: setting('BANK_NOTE', 'what a person should know about transfers', text, ''),
  turnaroundHours: setting(
    'TURNAROUND_HOURS',
    'as of the songs service, for people to read',
    decimal(0, 10_000),
    STANDARD_TERMS.turnaroundHours,
  ),
  changesIncluded: setting(
    'CHANGES_INCLUDED',
    'as of the songs service, for people to read',
    decimal(0, 100),
    STANDARD_TERMS.changesIncluded,
  ),
  changesDays: setting(
    'CHANGES_DAYS',
    'as of the songs service, for people to read',
    decimal(0, 10_000),
    STANDARD_TERMS.changesDays,
  ),
  termsFile: setting<LegalTexts | null>('TERMS_FILE', 'file with the text of /terms', readLegalTexts, null),
  privacyFile: setting<LegalTexts | null>(
    'PRIVACY_FILE',
    'file with the text of /privacy',
    readLegalTexts,
    null,
  ),
  imprintFile: setting<LegalTexts | null>(
    'IMPRINT_FILE',
    'file with the text of /imprint',
    readLegalTexts,
    null,
  ),
  rateLimits: setting('RATE_LIMITS', 'on or off', (value) => oneOf('on', 'off')(value) === 'on', true),
  confirmAboveCents: setting(
    'CONFIRM_ABOVE',
    'credits; larger adjustments and refunds need the admin password again',
    credits,
    LARGE_AMOUNT_CENTS,
  ),
  trustedCountryHeader: setting<string | null>(
    'TRUSTED_COUNTRY_HEADER',
    'header with the country code, set by a trusted CDN',
    text,
    null,
  ),
  trustedProxyHops: setting('TRUSTED_PROXY_HOPS', 'proxies in front', integer(0, 10), 0),
  webRoot: setting('WEB_ROOT', 'folder of the built web app', text),
  blobsPublicUrl: setting<string | null>('BLOBS_PUBLIC_URL', 'public origin of the object store', url, null),
}

/** Errors: ConfigError that names every missing or bad variable. */
export function readGatewayConfig(env: Record<string, string | undefined>): GatewayConfig {
  const { issuer, publicIssuer, clientId, clientSecret, providerName, ...rest } = readConfig(
    gatewaySettings,
    env,
  )
  const { bankName, accountName, accountNumber, bankNote, ...others } = rest
  const { turnaroundHours, changesIncluded, changesDays, ...more } = others
  const { termsFile, privacyFile, imprintFile, ...flat } = more
  return Object.freeze({
    ...flat,
    oidc: { issuer, publicIssuer, clientId, clientSecret, providerName },
    bank: { bankName, accountName, accountNumber, note: bankNote },
    terms: { turnaroundHours, changesIncluded, changesDays },
    legal: { terms: termsFile, privacy: privacyFile, imprint: imprintFile },
  })
}
