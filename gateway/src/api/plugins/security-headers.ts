import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import helmet from 'helmet'
import type { GatewayConfig } from '../../config.ts'
import { isApi } from './web.ts'

export const isSecure = (config: Pick<GatewayConfig, 'publicUrl'>): boolean =>
  config.publicUrl.startsWith('https:')

/** The same headers on every answer; answers of the API are not cached unless their route says otherwise. */
export function registerSecurityHeaders(app: FastifyInstance, headers: OutgoingHttpHeaders): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers)
    if (isApi(request.url)) void reply.header('cache-control', 'no-store')
    done()
  })
}

/** The whole policy: Helmet's defaults, which would add to it, are off. Computed once, since Helmet would do so for each answer. */
export function securityHeaders(config: GatewayConfig): OutgoingHttpHeaders {
  const blobs = config.blobsPublicUrl === null ? [] : [new URL(config.blobsPublicUrl).origin]
  const say = helmet({
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
        manifestSrc: ["'self'"],
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
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  say(request, response, (error) => {
    if (error !== undefined) throw error
  })
  return {
    ...response.getHeaders(),
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  }
}

/** For what a sign-in popup loads: any opener policy would sever it from its opener. */
export const keepOpener = (reply: FastifyReply): FastifyReply =>
  reply.header('cross-origin-opener-policy', 'unsafe-none')
