import { fileURLToPath } from 'node:url'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { open } from 'maxmind'
import { once } from '@prelude/platform'
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

/**
 * With 0 hops the socket's address; with n the n-th last of x-forwarded-for, which is what the outermost trusted proxy
 * saw. Addresses further left were written by the caller.
 */
export function callerAddress(request: FastifyRequest, hops: number): string {
  const socket = plain(request.socket.remoteAddress ?? '')
  if (hops === 0) return socket
  const header = request.headers['x-forwarded-for']
  const chain = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map(plain)
    .filter(Boolean)
  const address = chain.at(-hops) ?? chain[0] ?? ''
  return isIP(address) ? address : socket
}

/** The address that limits count by. */
export const callerNetwork = (
  request: FastifyRequest,
  { trustedProxyHops }: Pick<GatewayConfig, 'trustedProxyHops'>,
): string => networkOf(callerAddress(request, trustedProxyHops), 4)

/** The /64 that one household has of IPv6; of IPv4 that many bytes. */
export function networkOf(address: string, ipv4Bytes: 3 | 4): string {
  if (!isIPv6(address)) return address.split('.').slice(0, ipv4Bytes).join('.')
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((groups) => groups.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}

/** IPv4 also where it is written as IPv6; without port, brackets and zone. */
function plain(text: string): string {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\]/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  return bare.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
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
