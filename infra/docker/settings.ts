import { gatewaySettings, STAND_IN } from '@prelude/gateway'
import type { Settings } from '@prelude/platform'

/** Values of a trial, of settings that only the product's owner can know. */
export const TRIAL: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(gatewaySettings as Settings).flatMap(({ env, trial }) =>
    typeof trial === 'string' ? [[env, trial]] : [],
  ),
)

/**
 * What `.env` lacks for a trial in containers. Without an identity provider nothing of production is configured yet, so that
 * all stand-ins are added; with one none is, whatever was removed.
 */
export function settingsToAdd(
  found: Readonly<Record<string, string>>,
  port: number,
): { missing: [name: string, value: string | number][]; isTrial: boolean } {
  const isTrial = !('OIDC_ISSUER' in found)
  const standIns = {
    COMPOSE_PROFILES: 'stand-ins',
    OIDC_ISSUER: 'http://identity:8081',
    OIDC_PUBLIC_ISSUER: `http://localhost:${port + 1}`,
    OIDC_CLIENT_ID: 'prelude',
    ...STAND_IN,
    STRIPE_API_URL: 'http://checkout:8082',
  }
  const all = {
    PORT: port,
    LISTEN: '127.0.0.1',
    IDENTITY_PORT: port + 1,
    CHECKOUT_PORT: port + 2,
    MAILBOX_PORT: port + 3,
    GENERATOR_PORT: port + 6,
    ...(isTrial && standIns),
    ...TRIAL,
  }
  return { missing: Object.entries(all).filter(([name]) => !(name in found)), isTrial }
}
