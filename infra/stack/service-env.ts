import type { ServiceName } from '@prelude/contracts'
import { publicKeysFrom, roleUrl, secretOf } from '@prelude/platform'
import { fileURLToPath } from 'node:url'
import type { OutsideParties } from '../embedded/outside-parties.ts'
import type { Secrets } from '../embedded/secrets.ts'
import type { Settings } from '../embedded/settings.ts'

export interface ServiceContext {
  readonly settings: Settings
  readonly secrets: Secrets
  readonly outside: OutsideParties
  /** Addresses for services, through the links. */
  readonly servers: {
    readonly databaseUrl: string
    readonly busUrl: string
    readonly kvUrl: string
    readonly blobsUrl: string
  }
  /** Internal address of each service. */
  readonly addresses: Readonly<Record<ServiceName, string>>
}

export type Env = Record<string, string>

const WEB_ROOT = fileURLToPath(new URL('../../web/dist/', import.meta.url))

/** The environment of a service that runs as its own process, without ports and folders, which differ by instance. */
export function serviceEnv(service: ServiceName, context: ServiceContext): Env {
  const { settings, secrets, servers, addresses } = context
  return {
    DATABASE_URL: roleUrl(servers.databaseUrl, service, secrets.databaseRoles),
    BUS_URL: servers.busUrl,
    INTERNAL_SECRET: secretOf(service, secrets.internal),
    INTERNAL_PUBLIC_KEYS: publicKeysFrom(secrets.internal),
    LOG_LEVEL: settings.logLevel,
    PUBLIC_URL: settings.publicUrl,
    ...Object.fromEntries(
      Object.entries(addresses).map(([name, address]) => [`${name.toUpperCase()}_URL`, address]),
    ),
    ...OWN[service](context),
  }
}

const OWN: Readonly<Record<ServiceName, (context: ServiceContext) => Env>> = {
  gateway: gatewayEnv,
  songs: ({ settings }) => ({
    ...terms(settings),
    SONGS_PER_DAY: String(settings.songsPerDay),
  }),
  credits: ({ settings }) => ({ STARTING_CREDITS: String(settings.startingCreditsCents / 100) }),
  payments: ({ settings, outside: { stripe } }) => ({
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.apiUrl ?? '',
    PAYSTACK_SECRET_KEY: settings.paystackSecretKey ?? '',
  }),
  storage: ({ servers }) => ({ BLOBS_URL: servers.blobsUrl }),
  notifier: ({ settings, outside }) => ({
    MAIL_URL: outside.smtpUrl,
    MAIL_FROM: outside.mailFrom,
    BRAND_NAME: settings.brandName,
    SUPPORT_EMAIL: settings.supportEmail,
    OPERATOR_EMAIL: settings.operatorEmail,
    ALERT_EMAIL: settings.alertEmail ?? '',
    ALERT_WEBHOOK_URL: settings.alertWebhookUrl ?? '',
    ALERT_REPEAT_MINUTES: String(settings.alertRepeatMinutes),
    ALERT_EVERY_SECONDS: String(settings.alertEverySeconds),
    VAPID_PUBLIC_KEY: settings.vapidPublicKey ?? '',
    VAPID_PRIVATE_KEY: settings.vapidPrivateKey ?? '',
    PUSH_LOOPBACK: settings.pushLoopback ? 'on' : 'off',
  }),
}

const terms = (settings: Settings): Env => ({
  TURNAROUND_HOURS: String(settings.turnaroundHours),
  CHANGES_INCLUDED: String(settings.changesIncluded),
  CHANGES_DAYS: String(settings.changesDays),
})

function gatewayEnv({ settings, outside, servers }: ServiceContext): Env {
  const { oidc } = outside
  return {
    KV_URL: servers.kvUrl,
    PUBLIC_HOST: '127.0.0.1',
    BRAND_NAME: settings.brandName,
    SUPPORT_EMAIL: settings.supportEmail,
    OPERATOR_EMAIL: settings.operatorEmail,
    SECURITY_CONTACT: settings.securityContact ?? '',
    OPERATOR_UID: outside.operatorUid,
    OPERATOR_PASSWORD_HASH: outside.operatorPasswordHash,
    OIDC_ISSUER: oidc.issuer,
    OIDC_PUBLIC_ISSUER: oidc.publicIssuer ?? '',
    OIDC_CLIENT_ID: oidc.clientId,
    OIDC_CLIENT_SECRET: oidc.clientSecret,
    OIDC_PROVIDER_NAME: oidc.providerName,
    BANK_NAME: settings.bankName,
    BANK_ACCOUNT_NAME: settings.bankAccountName,
    BANK_ACCOUNT_NUMBER: settings.bankAccountNumber,
    BANK_NOTE: settings.bankNote,
    ...terms(settings),
    TERMS_FILE: settings.termsFile?.file ?? '',
    PRIVACY_FILE: settings.privacyFile?.file ?? '',
    IMPRINT_FILE: settings.imprintFile?.file ?? '',
    RATE_LIMITS: settings.rateLimits ? 'on' : 'off',
    CONFIRM_ABOVE: String(settings.confirmAboveCents / 100),
    TRUSTED_COUNTRY_HEADER: settings.trustedCountryHeader ?? '',
    TRUSTED_PROXY_HOPS: String(settings.trustedProxyHops),
    WEB_ROOT,
  }
}
