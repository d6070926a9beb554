import { expect, test } from 'vitest'
import { gatewayContradictions, STAND_IN } from '../src/api/contradictions.ts'
import { gatewayConfigOf, type GatewaySettings } from '../src/config.ts'

type Settings = Parameters<typeof gatewayContradictions>[0]

/** As `make start` has them where nothing is set. */
const NONE: Settings = {
  publicUrl: null,
  oidcIssuer: null,
  oidcPublicIssuer: null,
  oidcClientSecret: null,
  oidcProviderName: 'Google',
  operatorUid: 'mine',
  rateLimits: true,
  trustedCountryHeader: null,
  trustedProxyHops: 0,
}
const REAL = { oidcIssuer: 'https://idp.example', oidcClientSecret: 'x'.repeat(16) }
const FAR = { ...REAL, publicUrl: 'https://songs.example' }
const HERE = { oidcIssuer: 'http://localhost:9', oidcClientSecret: 'x' }
const CONTAINERS = {
  oidcIssuer: 'http://identity:8081',
  oidcPublicIssuer: 'http://localhost:9',
  oidcClientSecret: 'x',
  oidcProviderName: STAND_IN.OIDC_PROVIDER_NAME,
  operatorUid: STAND_IN.OPERATOR_UID,
}
const HEADER = { trustedCountryHeader: 'x-country' }

const REFUSED: [Partial<Settings>, string[]][] = [
  [{ ...FAR, rateLimits: false }, ['RATE_LIMITS=off']],
  [{ ...FAR, ...HEADER }, ['TRUSTED_COUNTRY_HEADER']],
  [{ ...REAL, oidcClientSecret: 'x' }, ['OIDC_CLIENT_SECRET must be the real one']],
  [{ ...REAL, oidcIssuer: 'http://idp.example' }, ['OIDC_ISSUER must be https']],
  [{ ...CONTAINERS, ...REAL, oidcPublicIssuer: null }, ['OIDC_PROVIDER_NAME', 'OPERATOR_UID']],
  [{ ...REAL, oidcPublicIssuer: 'http://localhost:9' }, ['OIDC_PUBLIC_ISSUER must be empty']],
  [
    {
      ...CONTAINERS,
      oidcPublicIssuer: 'http://idp.example',
      oidcProviderName: 'Google',
      operatorUid: 'mine',
    },
    ['OIDC_PUBLIC_ISSUER must be https', 'OIDC_CLIENT_SECRET', 'OIDC_ISSUER must be https'],
  ],
]
const FINE: Partial<Settings>[] = [
  {},
  FAR,
  HERE,
  CONTAINERS,
  { publicUrl: 'http://localhost:8080', ...HERE, ...HEADER, rateLimits: false },
  // with the identity stand-in nobody elsewhere can sign in
  { publicUrl: 'https://songs.example', ...HEADER, rateLimits: false },
  { ...FAR, ...HEADER, trustedProxyHops: 1 },
]
test('where people elsewhere can sign in, limits, secrets and the identity provider must be real', () => {
  expect(REFUSED.map(([settings]) => gatewayContradictions({ ...NONE, ...settings }))).toEqual(
    REFUSED.map(([, names]) => names.map((name) => expect.stringContaining(name) as string)),
  )
  expect(FINE.flatMap((settings) => gatewayContradictions({ ...NONE, ...settings }))).toEqual([])
})

test('the configuration is frozen, and has no setting that the gateway does not use', () => {
  const process = { internalSecret: 'x', changesDays: 3, bankNote: 'soon' } as unknown as GatewaySettings
  const config = gatewayConfigOf(process)
  expect(config).toMatchObject({ terms: { changesDays: 3 }, bank: { note: 'soon' } })
  expect(JSON.stringify(config)).not.toContain('internalSecret')
  expect(Object.isFrozen(config)).toBe(true)
})
