import type { Clock } from '@prelude/platform'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayConfig } from '../config.ts'

type Deps = { clock: Clock; config: GatewayConfig }

const VALID_MS = 90 * 24 * 60 * 60_000

/** security.txt (RFC 9116): where to report a vulnerability. */
export const sendSecurityContact =
  ({ clock, config: { securityContact, supportEmail, publicUrl } }: Deps) =>
  async (_request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    void reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=86400')
    return [
      `Contact: ${securityContact ?? `mailto:${supportEmail}`}`,
      `Expires: ${new Date(clock.now() + VALID_MS).toISOString()}`,
      'Preferred-Languages: en, fr',
      `Canonical: ${publicUrl}/.well-known/security.txt`,
      '',
    ].join('\n')
  }
