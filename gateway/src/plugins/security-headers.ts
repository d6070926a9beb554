import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { GatewayConfig } from '../config.ts'
import { isSecure } from './session-cookie.ts'

/** The policy stands here in full: Helmet's own defaults would add to it. */
export async function registerSecurityHeaders(app: FastifyInstance, config: GatewayConfig): Promise<void> {
  const blobs = config.blobsPublicUrl === null ? [] : [new URL(config.blobsPublicUrl).origin]
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'https:'],
        mediaSrc: ["'self'", 'blob:', ...blobs],
        connectSrc: ["'self'", ...blobs],
        fontSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    // the sign-in popup stays tied to the page that opened it, so that it may close itself
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    // with `no-referrer` a browser sends `Origin: null` on our own POSTs
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    strictTransportSecurity: isSecure(config) ? { maxAge: 31_536_000 } : false,
  })
}

/** For what a sign-in popup loads: any opener policy of its own would cut it from its opener. */
export const keepOpener = (reply: FastifyReply): FastifyReply =>
  reply.header('cross-origin-opener-policy', 'unsafe-none')
