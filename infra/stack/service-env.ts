import type { ServiceName } from '@prelude/contracts'
import { publicKeysFrom, roleUrl, secretOf, writeSetting } from '@prelude/platform'
import { fileURLToPath } from 'node:url'
import type { OutsideParties } from '../embedded/outside-parties.ts'
import type { Secrets } from '../embedded/secrets.ts'
import { type Settings, SETTINGS } from '../embedded/settings.ts'
import { namesOf, SERVICES } from '../programs.ts'

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
  /** Of all instances of storage; `addresses` has the one that takes uploads. */
  readonly storageReads: string
}

export type Env = Record<string, string>

const WEB_ROOT = fileURLToPath(new URL('../../web/dist/', import.meta.url))

/** The environment of a service that runs as its own process, without ports and folders, which differ by instance. */
export function serviceEnv(service: ServiceName, context: ServiceContext): Env {
  const { settings, secrets, outside, servers, addresses } = context
  const { oidc, stripe } = outside
  const values: Env = {
    ...textsOf(settings),
    DATABASE_URL: roleUrl(servers.databaseUrl, service, secrets.databaseRoles),
    BUS_URL: servers.busUrl,
    KV_URL: servers.kvUrl,
    BLOBS_URL: servers.blobsUrl,
    INTERNAL_SECRET: secretOf(service, secrets.internal),
    INTERNAL_PUBLIC_KEYS: publicKeysFrom(secrets.internal),
    ...Object.fromEntries(
      Object.entries(addresses).map(([name, address]) => [`${name.toUpperCase()}_URL`, address]),
    ),
    STORAGE_READS_URL: context.storageReads,
    PUBLIC_HOST: '127.0.0.1',
    WEB_ROOT,
    OPERATOR_UID: outside.operatorUid,
    OPERATOR_PASSWORD_HASH: outside.operatorPasswordHash,
    OIDC_ISSUER: oidc.issuer,
    OIDC_PUBLIC_ISSUER: oidc.publicIssuer ?? '',
    OIDC_CLIENT_ID: oidc.clientId,
    OIDC_CLIENT_SECRET: oidc.clientSecret,
    OIDC_PROVIDER_NAME: oidc.providerName,
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.apiUrl ?? '',
    MAIL_URL: outside.smtpUrl,
  }
  const { all } = namesOf(SERVICES[service])
  return Object.fromEntries(Object.entries(values).filter(([name]) => all.includes(name)))
}

/** The settings of the product, by name in an environment. */
const textsOf = (settings: Settings): Env =>
  Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [
      setting.env,
      writeSetting(setting, settings[key as keyof Settings]),
    ]),
  )
