import { LARGE_AMOUNT_CENTS, type LegalPage, TRANSFER_NOTE } from '@prelude/contracts'
import { gatewayContradictions, isReal } from './api/contradictions.ts'
import {
  credits,
  generatorUrl,
  integer,
  optional,
  productSettings,
  onOff,
  type Program,
  providerSecret,
  rateLimits,
  type readConfig,
  setting,
  termsSettings,
  text,
  trialSetting,
  trialValues,
  url,
} from '@prelude/platform'
import { type LegalTexts, readLegalTexts } from './api/legal-texts.ts'
import { passwordHash } from './operator/password-hash.ts'

export type GatewaySettings = ReturnType<typeof readConfig<typeof gatewaySettings>>

/** The settings that the gateway takes as they are; what they mean stands beside them in `gatewaySettings`. */
const AS_THEY_ARE = [
  'publicUrl',
  'brandName',
  'supportEmail',
  'operatorEmail',
  'securityContact',
  'operatorUid',
  'operatorPasswordHash',
  'oidcTrustEmails',
  'rateLimits',
  'confirmAboveCents',
  'trustedCountryHeader',
  'trustedProxyHops',
  'webRoot',
  'blobsPublicUrl',
] as const

/** The settings of the gateway. */
export interface GatewayConfig extends Pick<GatewaySettings, (typeof AS_THEY_ARE)[number]> {
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
  readonly terms: Pick<GatewaySettings, keyof typeof termsSettings>
  /** A music generator is in use: the form says so. */
  readonly generator: boolean
  /** The legal texts of the operator; null: there is no such page. */
  readonly legal: Readonly<Record<LegalPage, LegalTexts | null>>
  /** For the head of a request; 15 s if not given. */
  readonly headersWithinMs?: number
  /** Until an answer ends whose client takes no byte; 5 minutes if not given. */
  readonly stalledAfterMs?: number
}

/** Lower-case. */
function headerName(value: string): string {
  if (!/^[A-Za-z0-9-]+$/.test(value)) throw new Error('must be the name of a header')
  return value.toLowerCase()
}

const legalFile = (page: LegalPage) => ({
  env: `${page.toUpperCase()}_FILE`,
  means: `file with the text of /${page}`,
  parse: readLegalTexts,
  write: ({ file }: LegalTexts): string => file,
  fallback: null as LegalTexts | null,
})

export const gatewaySettings = {
  ...productSettings,
  securityContact: optional('SECURITY_CONTACT', 'where to report vulnerabilities, https: or mailto:', url),
  operatorUid: setting('OPERATOR_UID', "the operator's uid, as /api/me shows it", text),
  operatorPasswordHash: setting('OPERATOR_PASSWORD_HASH', 'hash of the admin password', passwordHash),
  oidcIssuer: setting('OIDC_ISSUER', 'identity provider', url),
  oidcPublicIssuer: optional('OIDC_PUBLIC_ISSUER', 'identity provider as browsers reach it', url),
  oidcClientId: setting('OIDC_CLIENT_ID', 'client id at the identity provider', text),
  oidcClientSecret: setting('OIDC_CLIENT_SECRET', 'client secret at the identity provider', providerSecret()),
  oidcProviderName: setting('OIDC_PROVIDER_NAME', 'name of the provider, part of every uid', text),
  oidcTrustEmails: {
    env: 'OIDC_TRUST_EMAILS',
    means: 'on where the provider verifies all addresses and does not say so (email_verified)',
    ...onOff,
    fallback: false,
  },
  bankName: trialSetting('BANK_NAME', 'bank for Naira transfers', text, 'Prelude Test Bank'),
  bankAccountName: trialSetting(
    'BANK_ACCOUNT_NAME',
    'account holder for Naira transfers',
    text,
    'Prelude Music Ltd',
  ),
  bankAccountNumber: trialSetting('BANK_ACCOUNT_NUMBER', 'account for Naira transfers', text, '0123456789'),
  bankNote: setting('BANK_NOTE', 'what a person should know about transfers', text, TRANSFER_NOTE),
  ...termsSettings,
  generatorUrl,
  termsFile: legalFile('terms'),
  privacyFile: legalFile('privacy'),
  imprintFile: legalFile('imprint'),
  rateLimits,
  confirmAboveCents: {
    env: 'CONFIRM_ABOVE',
    means: 'credits; the operator needs the password again for more, at once or within an hour',
    ...credits,
    fallback: LARGE_AMOUNT_CENTS,
  },
  trustedCountryHeader: optional(
    'TRUSTED_COUNTRY_HEADER',
    'header with the country code, set by a trusted CDN',
    headerName,
  ),
  trustedProxyHops: setting('TRUSTED_PROXY_HOPS', 'proxies in front', integer(0, 10), 0),
  webRoot: setting('WEB_ROOT', 'folder of the built web app', text),
  blobsPublicUrl: optional('BLOBS_PUBLIC_URL', 'public origin of the object store', url),
}

const processSettings = {
  ...gatewaySettings,
  kvUrl: setting('KV_URL', 'sessions, limits and live fan-out', url),
  publicHost: setting('PUBLIC_HOST', 'address that the public port listens on', text, '0.0.0.0'),
  publicPort: setting('PORT', 'the public port', integer(1, 65_535)),
}

export const gatewayProgram: Program<typeof processSettings> = {
  service: 'gateway',
  settings: processSettings,
  contradictions: (values) => [
    ...gatewayContradictions(values),
    ...(isReal(values) ? trialValues(gatewaySettings, values) : []),
  ],
  calls: ['songs', 'credits', 'payments', 'storage', 'notifier', 'gateway'],
  reads: ['storage'],
}

/** From settings with these names, of this service alone or of the whole product. Frozen, and without their other settings. */
export const gatewayConfigOf = (settings: GatewaySettings): GatewayConfig =>
  Object.freeze({
    ...pick(settings, AS_THEY_ARE),
    oidc: {
      issuer: settings.oidcIssuer,
      publicIssuer: settings.oidcPublicIssuer,
      clientId: settings.oidcClientId,
      clientSecret: settings.oidcClientSecret,
      providerName: settings.oidcProviderName,
    },
    bank: {
      bankName: settings.bankName,
      accountName: settings.bankAccountName,
      accountNumber: settings.bankAccountNumber,
      note: settings.bankNote,
    },
    terms: pick(settings, Object.keys(termsSettings) as (keyof typeof termsSettings)[]),
    generator: settings.generatorUrl !== null,
    legal: { terms: settings.termsFile, privacy: settings.privacyFile, imprint: settings.imprintFile },
  })

const pick = <T, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>
