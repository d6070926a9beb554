import { BlockList, isIP } from 'node:net'
import { fileURLToPath } from 'node:url'
import { once } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { open } from 'maxmind'
import { callerAddress } from '../api/caller-address.ts'
import type { GatewayConfig } from '../config.ts'

interface Country {
  /** English name, such as "Nigeria". */
  readonly country: string
  /** ISO 3166-1 alpha-2 */
  readonly countryCode: string
}

export interface Countries {
  /** Of the caller's address; null when private or unknown. */
  of(request: FastifyRequest): Promise<Country | null>
}

/** Offline: no third party learns a visitor's address. The database is read at first use. */
export function createCountries(config: GatewayConfig): Countries {
  const database = once(() =>
    open(
      fileURLToPath(
        import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'),
      ),
    ),
  )
  const lookUp = async (address: string): Promise<string | undefined> => {
    const found = (await database()).get(address) as { country_code?: string } | null
    return found?.country_code
  }
  return {
    of: async (request) => {
      const header =
        config.trustedCountryHeader === null ? undefined : request.headers[config.trustedCountryHeader]
      const fromCdn = typeof header === 'string' ? countryOf(header.trim().toUpperCase()) : null
      if (fromCdn) return fromCdn
      const address = callerAddress(request, config.trustedProxyHops)
      if (isPrivate(address)) return null
      return countryOf((await lookUp(address)) ?? '')
    },
  }
}

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

function countryOf(code: string): Country | null {
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ') return null
  const country = names.of(code)
  return country === undefined ? null : { country, countryCode: code }
}

const privateAddresses = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateAddresses.addSubnet(net, prefix, 'ipv4')
privateAddresses.addAddress('::1', 'ipv6')
privateAddresses.addSubnet('fc00::', 7, 'ipv6')
privateAddresses.addSubnet('fe80::', 10, 'ipv6')

function isPrivate(address: string): boolean {
  const family = isIP(address)
  return family === 0 || privateAddresses.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
