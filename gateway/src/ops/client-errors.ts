import { ClientErrorReport, MAX_CLIENT_ERROR_BYTES } from '@prelude/contracts'
import type { Clock, Database } from '@prelude/platform'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { reduceClientError } from './reduce-client-error.ts'
import { recordClientError } from './store/client-errors.ts'

type Deps = {
  clock: Clock
  config: GatewayConfig
  db: Database
  measures: { clientError: (page: string) => void }
}

/** Public, since the pages of visitors fail too. */
export const reportClientError = ({ db, clock, config, measures }: Deps): PublicRoute =>
  publicRoute('POST /api/client-errors', {
    access: 'visitor',
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
