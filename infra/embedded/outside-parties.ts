import { join } from 'node:path'
import { type GatewaySettings, hashPassword, STAND_IN } from '@prelude/gateway'
import type { PaymentsConfig } from '@prelude/payments'
import { type Clock, isLoopback, type Logger, STAND_IN_GENERATOR } from '@prelude/platform'
import { startCheckout } from '../stand-ins/checkout/index.ts'
import { startGenerator } from '../stand-ins/generator/index.ts'
import { startIdentity } from '../stand-ins/identity/index.ts'
import { startMailbox } from '../stand-ins/mailbox/index.ts'
import { standInPorts } from './ports.ts'
import type { Secrets } from './secrets.ts'
import type { Settings } from './settings.ts'

export const STAND_IN_OPERATOR = 'operator@prelude.test'

/** Identity provider, card payments, mail server and music generator: real ones where credentials are set, else stand-ins on this machine. */
export interface OutsideParties {
  /** Of the identity provider, and of the operator there. */
  readonly identity: Pick<
    GatewaySettings,
    | 'oidcIssuer'
    | 'oidcPublicIssuer'
    | 'oidcClientId'
    | 'oidcClientSecret'
    | 'oidcProviderName'
    | 'operatorUid'
    | 'operatorPasswordHash'
  >
  /** How to be the operator, for people who try the product on this machine; empty where it is known elsewhere only. */
  readonly operator: { readonly email: string; readonly password: string }
  readonly stripe: PaymentsConfig['stripe']
  readonly smtpUrl: string
  readonly generator: Pick<Settings, 'generatorUrl' | 'generatorKey'>
  /** Addresses of the stand-ins in use. */
  readonly standIns: {
    readonly identity: string | null
    readonly checkout: string | null
    readonly mailbox: string | null
    readonly generator: string | null
  }
  stop(): Promise<void>
}

/** `hash` is that of the operator's password, where no hash is set. */
export async function reachOutsideParties(options: {
  settings: Settings
  secrets: Secrets
  clock: Clock
  logger: Logger
  hash?: typeof quickHash
}): Promise<OutsideParties> {
  const { settings, secrets, clock, logger, hash = quickHash } = options
  const { dataDir } = settings
  const ports = await standInPorts(dataDir, settings.port)
  const stops: (() => Promise<void>)[] = []
  const keep = <T extends { stop(): Promise<void> }>(standIn: T): T => {
    stops.push(() => standIn.stop())
    return standIn
  }
  const host = '127.0.0.1'
  const client = {
    id: 'prelude',
    secret: secrets.oidcClient,
    redirectUris: [`${settings.publicUrl}/api/auth/callback`],
  }
  const identity =
    settings.oidcIssuer === null
      ? keep(await startIdentity({ port: ports.identity, host, dataDir: join(dataDir, 'identity'), client }))
      : null
  const webhookSecret = settings.stripeWebhookSecret ?? secrets.stripeWebhook
  const checkout =
    settings.stripeSecretKey === null
      ? keep(
          await startCheckout({
            port: ports.checkout,
            host,
            dataFile: join(dataDir, 'checkout.json'),
            secretKey: secrets.stripeKey,
            webhookSecret,
            webhookUrl: `http://localhost:${settings.port}/api/webhooks/stripe`,
            logger: logger.child({ service: 'checkout' }),
            clock: () => clock.now(),
          }),
        )
      : null
  const mailbox =
    settings.smtpUrl === null
      ? keep(
          await startMailbox({
            smtpPort: ports.smtp,
            httpPort: ports.mailbox,
            host,
            dataFile: join(dataDir, 'mailbox.jsonl'),
          }),
        )
      : null
  const generatorKey = settings.generatorKey ?? secrets.generatorKey
  const generator =
    settings.generatorUrl === STAND_IN_GENERATOR
      ? keep(
          await startGenerator({ port: ports.generator, host, key: generatorKey, clock: () => clock.now() }),
        )
      : null

  const operatorPassword = settings.operatorPassword ?? secrets.operatorPassword ?? ''
  return {
    identity: {
      oidcIssuer: identity?.issuer ?? settings.oidcIssuer ?? '',
      oidcPublicIssuer: null,
      oidcClientId: identity ? client.id : (settings.oidcClientId ?? ''),
      oidcClientSecret: identity ? client.secret : (settings.oidcClientSecret ?? ''),
      oidcProviderName: identity ? STAND_IN.OIDC_PROVIDER_NAME : settings.oidcProviderName,
      operatorUid: settings.operatorUid ?? STAND_IN.OPERATOR_UID,
      operatorPasswordHash: settings.operatorPasswordHash ?? (await hash(operatorPassword)),
    },
    operator: {
      email: identity ? STAND_IN_OPERATOR : '',
      password: isLoopback(identity?.issuer ?? settings.oidcIssuer ?? '') ? operatorPassword : '',
    },
    stripe: checkout
      ? { secretKey: secrets.stripeKey, webhookSecret, apiUrl: checkout.url }
      : { secretKey: settings.stripeSecretKey ?? '', webhookSecret, apiUrl: null },
    smtpUrl: mailbox?.smtpUrl ?? settings.smtpUrl ?? '',
    generator: generator ? { generatorUrl: generator.url, generatorKey } : settings,
    standIns: {
      identity: identity?.url ?? null,
      checkout: checkout?.url ?? null,
      mailbox: mailbox?.url ?? null,
      generator: generator?.url ?? null,
    },
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}

/** The password is in this process and its data folder as it was typed: a slow hash beside it would protect nothing. */
const quickHash = (password: string): Promise<string> => hashPassword(password, { N: 2 ** 10, r: 8, p: 1 })
