import {
  certificatesApi,
  creditsApi,
  noticesApi,
  notifierApi,
  paymentsApi,
  preferencesApi,
  pushApi,
  sharesApi,
  songsApi,
  storageApi,
} from '@prelude/contracts'
import {
  client,
  deleteInSteps,
  type Job,
  measured,
  schemaCheck,
  schemaOf,
  type Service,
  type ServiceSchema,
} from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { createPublicApp } from './app.ts'
import type { GatewayConfig } from './config.ts'
import { createCountries } from './money/countries.ts'
import { createDrawings } from './share/drawing/drawings.ts'
import { createIdentityProvider } from './accounts/identity-provider.ts'
import { keyedHash } from './api/keyed-hash.ts'
import { songReads } from './songs/song-reads.ts'
import { gatewayMeasures } from './ops/measures.ts'
import { createRecent } from './ops/recent.ts'
import { createOpsReader, opsClients } from './ops/snapshot.ts'
import { createOperatorPassword } from './operator/password.ts'
import type { GatewayDeps, RouteDeps } from './route-deps.ts'
import { registerPeopleCalls } from './accounts/people-calls.ts'
import { createSessions } from './accounts/sessions.ts'
import { oldClientErrors } from './ops/store/client-errors.ts'
import { oldUnconfirmed } from './operator/store/unconfirmed-credits.ts'
import { keysOfClosed, oldClosingMails } from './accounts/store/closed-accounts.ts'
import { oldKeys } from './api/store/idempotency-keys.ts'
import { oldSessions } from './accounts/store/session.ts'
import { userRecords } from './accounts/store/users.ts'

export { gatewayContradictions, isReal, STAND_IN } from './api/contradictions.ts'
export { gatewayProgram, gatewaySettings, readGatewayConfig, type GatewayConfig } from './config.ts'
export { hashPassword, operatorPassword, passwordHash } from './operator/password-hash.ts'
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
  const measures = gatewayMeasures()
  const deps = {
    ...given,
    config: normal(given.config),
    kv: measured(measures.storeCalls, 'key-value', given.kv, [
      'get',
      'set',
      'setIfAbsent',
      'getAndDelete',
      'increment',
      'lease',
      'endLease',
      'publish',
    ]),
  }
  const { db, clock, kv, calls, config } = deps
  const ops = opsClients(calls)
  const songs = client(calls, 'songs', songsApi)
  const notifier = client(calls, 'notifier', notifierApi)
  const recent = createRecent(clock)
  const routeDeps: RouteDeps = {
    ...deps,
    assertMigrated: schemaCheck(db, schemaOf(gatewaySchema)),
    ops,
    notifier,
    notices: client(calls, 'notifier', noticesApi),
    preferences: client(calls, 'notifier', preferencesApi),
    push: client(calls, 'notifier', pushApi),
    recent,
    readOps: createOpsReader({ db, clock, ops, notifier }),
    songs,
    songReads: songReads(songs),
    shares: client(calls, 'songs', sharesApi),
    certificates: client(calls, 'songs', certificatesApi),
    credits: client(calls, 'credits', creditsApi),
    payments: client(calls, 'payments', paymentsApi),
    storage: client(calls, 'storage', storageApi),
    sessions: createSessions(kv, db, clock),
    operatorPassword: createOperatorPassword(deps, config.operatorPasswordHash),
    identity: createIdentityProvider(config),
    countries: createCountries(config),
    drawings: createDrawings(),
    fingerprint: keyedHash(config, 'fingerprint of requests'),
    ...userRecords(db, clock),
    measures,
  }
  const deletes = (name: string, old: typeof oldKeys, everyMs = HOUR_MS): Job => ({
    name,
    everyMs,
    run: async (signal) => deleteInSteps(db, old(await clock.databaseNow(db)), signal),
  })
  return {
    service: {
      ...gatewaySchema,
      routes: (app) => registerPeopleCalls(app, routeDeps),
      subscribers: [],
      jobs: [
        deletes('delete-idempotency-keys', oldKeys),
        deletes('delete-old-sessions', oldSessions),
        deletes('delete-old-closing-mails', oldClosingMails),
        deletes('delete-old-client-errors', oldClientErrors),
        deletes('delete-old-unconfirmed-credits', oldUnconfirmed),
        { name: 'delete-expired-entries', everyMs: MINUTE_MS, run: (signal) => kv.removeExpired(signal) },
        deletes('delete-keys-of-closed', keysOfClosed, MINUTE_MS),
      ],
      measures,
      notes: recent.notes,
    },
    publicApp: () => createPublicApp(routeDeps),
  }
}

/** Browsers name an origin without a slash and Node names headers in lower case, however they were configured. */
const normal = (config: GatewayConfig): GatewayConfig =>
  Object.freeze({
    ...config,
    publicUrl: new URL(config.publicUrl).origin,
    trustedCountryHeader: config.trustedCountryHeader?.toLowerCase() ?? null,
  })
