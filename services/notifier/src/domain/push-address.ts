import { BlockList, isIP } from 'node:net'
import { AppError, isLoopback } from '@prelude/platform'

/** Addresses that are not of the public internet (IANA's special-purpose registries); of IPv6 all but global unicast. */
const SPECIAL = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  SPECIAL.addSubnet(net, prefix)
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  SPECIAL.addSubnet(net, prefix, 'ipv6')
const GLOBAL = new BlockList()
GLOBAL.addSubnet('2000::', 3, 'ipv6')
const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether a push may be sent to this IP address. */
export function isAllowedAddress(address: string, { loopback }: { loopback: boolean }): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (loopback && LOOPBACK.check(address, family)) return true
  return (family === 'ipv4' || GLOBAL.check(address, family)) && !SPECIAL.check(address, family)
}

/** The IP address that a URL names; null where it has a name. */
export const literalAddress = ({ hostname }: URL): string | null => {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(address) === 0 ? null : address
}

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
  if (!isAllowedPort(url, allowed)) throw refusal('must be at port 443')
  const address = literalAddress(url)
  if (address === null ? !allowed.loopback && isLoopback(url.href) : !isAllowedAddress(address, allowed))
    throw refusal('must be an address on the internet')
  return url
}

const refusal = (message: string): AppError =>
  new AppError('invalid_request', { errors: [{ path: 'endpoint', message }] })
