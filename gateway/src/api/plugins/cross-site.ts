import { AppError } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { isChange } from '../public-route.ts'

/**
 * A browser says where a request comes from; a cross-site request changes nothing. A client that sends no origin (curl) is
 * judged by its cookie alone. Errors: cross_site_request.
 */
export function registerCrossSite(app: FastifyInstance, publicUrl: string): void {
  app.addHook('onRequest', async ({ method, headers, routeOptions }) => {
    if (!isChange(method) || routeOptions.url?.startsWith('/api/webhooks/')) return
    const site = headers['sec-fetch-site']
    const fromElsewhere = site === 'cross-site' || site === 'same-site'
    if (fromElsewhere || (headers.origin !== undefined && headers.origin !== publicUrl))
      throw new AppError('cross_site_request')
  })
}
