import { isIP } from 'node:net'
import { AppError, isLoopback } from '@prelude/platform'
import ipaddr from 'ipaddr.js'

/** Of IPv6, what is given out to networks so far. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether a push may be sent to this IP address: one of the public internet (IANA's special-purpose registries). */
export function isAllowedAddress(address: string, { loopback }: { loopback: boolean }): boolean {
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range === 'loopback') return loopback
  return range === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL))
}

/** The IP address that a URL names; null where it has a name. */
export const literalAddress = ({ hostname }: URL): string | null => {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(address) === 0 ? null : address
}

/** With its escapes. A row of an index in PostgreSQL has 2.7 kB at most. */
const MAX_LENGTH = 2_000

/** Push services listen at 443; other ports of an address may be our own. On this machine, for tests, any. */
export const isAllowedPort = (url: URL, { loopback }: { loopback: boolean }): boolean =>
  url.port === '' || (loopback && isLoopback(url.href))

/**
 * The endpoint of a subscription is an address that a stranger gives and the product calls: https, and none of our networks.
 * What its name resolves to is checked with every call. Errors: invalid_request.
 */
export function pushEndpoint(given: string, allowed: { loopback: boolean }): URL {
  const url = URL.parse(given)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw refusal('must be an https address')
  if (url.href.length > MAX_LENGTH) throw refusal(`must not have more than ${MAX_LENGTH} characters`)
  if (!isAllowedPort(url, allowed)) throw refusal('must be at port 443')
  const address = literalAddress(url)
  if (address === null ? !allowed.loopback && isLoopback(url.href) : !isAllowedAddress(address, allowed))
    throw refusal('must be an address on the internet')
  return url
}

const refusal = (message: string): AppError =>
  new AppError('invalid_request', { errors: [{ path: 'endpoint', message }] })
