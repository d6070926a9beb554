import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'
import { once } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { open } from 'maxmind'
import { callerAddress } from '../api/caller-address.ts'
import type { GatewayConfig } from '../config.ts'

interface Country {
  /** English name, such as "Nigeria". */
  readonly country: string
  /** ISO 3166-1 alpha-2 */
  readonly countryCode: string
}

export type Countries = ReturnType<typeof createCountries>

/** Offline: no third party learns a visitor's address. The database is read at first use. */
export function createCountries(config: GatewayConfig) {
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
    /** Of the caller's address; null when private or unknown. */
    of: async (request: FastifyRequest): Promise<Country | null> => {
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

const isPrivate = (address: string): boolean =>
  isIP(address) === 0 || ipaddr.parse(address).range() !== 'unicast'
