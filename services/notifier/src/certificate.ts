import { connect } from 'node:tls'
import type { Clock } from '@prelude/platform'

const TIMEOUT_MS = 5_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Watches when the TLS certificate of an address expires (ms since the epoch), from any authority. The returned function answers
 * what was read last: null for http, and until the first read. A call starts another read an hour after the last one, or a
 * minute after one that failed.
 */
export function certificateOf(address: string, clock: Clock): () => number | null {
  const { protocol, hostname, port } = new URL(address)
  let expiresAt: number | null = null
  let nextAt = protocol === 'https:' ? 0 : Infinity
  return () => {
    if (clock.now() >= nextAt) {
      nextAt = clock.now() + MINUTE_MS
      void readExpiry(hostname, Number(port || 443)).then((read) => {
        if (read === null) return
        expiresAt = read
        nextAt = clock.now() + HOUR_MS
      })
    }
    return expiresAt
  }
}

function readExpiry(host: string, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    // also an expired or untrusted one is read; no data is sent
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false, timeout: TIMEOUT_MS })
    const end = (expiresAt: number | null): void => {
      socket.destroy()
      resolve(expiresAt)
    }
    socket.once('secureConnect', () => {
      const at = Date.parse(socket.getPeerCertificate().valid_to)
      end(Number.isNaN(at) ? null : at)
    })
    socket.once('timeout', () => end(null))
    socket.once('error', () => end(null))
  })
}
