import { ClientErrorReport, MAX_CLIENT_ERROR_BYTES } from '@prelude/contracts'
import { type PublicRoute, publicRoute } from '../api/public-route.ts'
import { reduceClientError } from './reduce-client-error.ts'
import type { RouteDeps } from '../route-deps.ts'
import { recordClientError } from './store/client-errors.ts'

/** Public, since the pages of visitors fail too. */
export const reportClientError = ({ db, clock, config, measures }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/client-errors',
    access: 'visitor',
    area: 'About',
    summary: 'Reports an error in the web app to the operator',
    document: {
      description:
        'The web app reports from pages of visitors too. ' +
        'Kept for 30 days, by message and build: no quoted text, no addresses, of the stack only positions in scripts of the app.',
    },
    limit: 'client-error',
    body: ClientErrorReport,
    maxBodyBytes: MAX_CLIENT_ERROR_BYTES,
    idempotent: false,
    status: 204,
    handle: async ({ body, request }) => {
      const error = reduceClientError(body, config.publicUrl)
      measures.clientError(error.page)
      await recordClientError(db, { ...error, ofPerson: request.caller !== null }, clock.now())
    },
  })
