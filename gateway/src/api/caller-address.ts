import { isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { GatewayConfig } from '../config.ts'

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
  const { parts } = ipaddr.IPv6.parse(address)
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}

/** IPv4 also where it is written as IPv6; without port, brackets and zone. */
function plain(text: string): string {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\]/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  return bare.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
}
