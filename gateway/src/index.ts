import {
  deleteInSteps,
  type Job,
  schemaCheck,
  schemaOf,
  type Service,
  type ServiceSchema,
} from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { registerPeopleCalls } from './accounts/people-calls.ts'
import { keysOfClosed, oldClosingMails } from './accounts/store/closed-accounts.ts'
import { oldSessions } from './accounts/store/session.ts'
import { keepAssets } from './api/plugins/kept-assets.ts'
import { oldKeys } from './api/store/idempotency-keys.ts'
import { createDeps, createPublicApp, type GatewayDeps } from './app.ts'
import { oldUnconfirmed } from './operator/store/unconfirmed-credits.ts'
import { oldClientErrors } from './ops/store/client-errors.ts'
import { archiveOf } from './share/export/archive.ts'

export { type KeyValue, KV_SCHEMA, openKeyValue } from './api/key-value/index.ts'
export { gatewayContradictions, isReal, STAND_IN } from './api/contradictions.ts'
export {
  type GatewayConfig,
  gatewayConfigOf,
  gatewayProgram,
  gatewaySettings,
  type GatewaySettings,
} from './config.ts'
export { hashPassword, operatorPassword } from './operator/password-hash.ts'
export { personUid } from './accounts/identity-provider.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const gatewaySchema: ServiceSchema = {
  name: 'gateway',
  migrations: new URL('../migrations/', import.meta.url),
  appendOnly: ['audit', 'audit_outcome'],
}

export interface Gateway {
  /** The internal service: user records, their events, and operations about people for the other services. */
  readonly service: Service
  /** The public API, ready to listen. It feeds its live streams from `ready` until it closes. */
  publicApp(): Promise<FastifyInstance>
}

export function createGateway(given: GatewayDeps): Gateway {
  const deps = createDeps(given)
  const { db, clock, kv, config, recent, measures } = deps
  const deletes = (name: string, old: typeof oldKeys, everyMs = HOUR_MS): Job => ({
    name,
    everyMs,
    run: async (signal) => deleteInSteps(db, old(await clock.databaseNow(db)), signal),
  })
  return {
    service: {
      ...gatewaySchema,
      routes: (app) => registerPeopleCalls(app, { ...deps, archiveOf: (user) => archiveOf(deps, user) }),
      subscribers: [],
      jobs: [
        deletes('delete-idempotency-keys', oldKeys),
        deletes('delete-old-sessions', oldSessions),
        deletes('delete-old-closing-mails', oldClosingMails),
        deletes('delete-old-client-errors', oldClientErrors),
        deletes('delete-old-unconfirmed-credits', oldUnconfirmed),
        { name: 'delete-expired-entries', everyMs: MINUTE_MS, run: (signal) => kv.removeExpired(signal) },
        deletes('delete-keys-of-closed', keysOfClosed, MINUTE_MS),
        keepAssets(kv, config.webRoot),
      ],
      measures,
      notes: () => ({ ...recent.notes(), webVitals: measures.webVitals.counts }),
    },
    publicApp: () => createPublicApp(deps, schemaCheck(db, schemaOf(gatewaySchema))),
  }
}
