import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import {
  type Clock,
  type Database,
  type EventBus,
  type Logger,
  measured,
  registerLingeringClose,
  type ServiceCall,
  traceRequests,
} from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { Settings } from 'typebox/system'
import { registerAccess } from './accounts/access.ts'
import { closeAccount, getClosing } from './accounts/account.ts'
import { callback } from './accounts/auth-callback.ts'
import { login } from './accounts/auth-login.ts'
import { logout } from './accounts/auth-logout.ts'
import { createIdentityProvider } from './accounts/identity-provider.ts'
import { me } from './accounts/me.ts'
import { registerBrowserFacts } from './accounts/browser-facts.ts'
import { listNotices, readNotices } from './accounts/notices.ts'
import { changePreferences, getPreferences } from './accounts/preferences.ts'
import { endPushSubscription, pushKey, subscribeToPush } from './accounts/push.ts'
import { endOtherSessions, endSession, listSessions } from './accounts/own-sessions.ts'
import { sessionCookieName } from './accounts/session-cookie.ts'
import { createSessions } from './accounts/sessions.ts'
import { userRecords } from './accounts/store/users.ts'
import { createClients } from './api/clients.ts'
import { docs, sendDocsStyle } from './api/docs.ts'
import { documentOptions } from './api/document/document.ts'
import { registerHealth } from './api/health.ts'
import { keyedHash } from './api/keyed-hash.ts'
import { legalPage } from './api/legal.ts'
import { registerBodies } from './api/plugins/bodies.ts'
import { registerClosing } from './api/plugins/closing.ts'
import { registerCrossSite } from './api/plugins/cross-site.ts'
import { registerErrors } from './api/plugins/errors.ts'
import { withKeptAssets } from './api/plugins/kept-assets.ts'
import { registerLimits } from './api/plugins/limits.ts'
import { registerRequestContext } from './api/plugins/request-context.ts'
import { registerSecurityHeaders, securityHeaders } from './api/plugins/security-headers.ts'
import { registerStalled } from './api/plugins/stalled.ts'
import {
  collectPaths,
  createWebPage,
  registerCompression,
  registerUnknown,
  registerWeb,
} from './api/plugins/web.ts'
import { type PublicRoute, registerRoute } from './api/public-route.ts'
import { sendSecurityContact } from './api/security-contact.ts'
import { createServer } from './api/server.ts'
import type { GatewayConfig } from './config.ts'
import { runFeed } from './live/feed.ts'
import { live } from './live/live.ts'
import { createCountries } from './money/countries.ts'
import { balance, debt, statement } from './money/credits.ts'
import { geo, paymentMethods } from './money/payment-methods.ts'
import {
  getPayment,
  getSession,
  listPayments,
  openTransfer,
  startAlternatePayment,
  startPayment,
} from './money/payments.ts'
import { webhooks } from './money/webhooks.ts'
import { closePerson, endSessionsOf, exportPerson } from './operator/accounts.ts'
import { draftAudio, listDrafts, makeDrafts, removeDraft } from './operator/drafts.ts'
import { deliverChanges, fulfilSong, replaceVersion } from './operator/fulfil.ts'
import {
  adjustCredits,
  confirmTransfer,
  listTransfers,
  recordTransfer,
  refundPayment,
  rejectTransfer,
} from './operator/money.ts'
import { createOperatorPassword } from './operator/password.ts'
import { audit, listAllPayments, listDebts, listPeople } from './operator/people.ts'
import { listAllSongs, refundSong } from './operator/songs.ts'
import { declineSong, releaseSong, startSong, stateMade, writeNote } from './operator/studio.ts'
import { lock, unlock } from './operator/unlock.ts'
import { uploads } from './operator/uploads.ts'
import { reportClientError } from './ops/client-errors.ts'
import { gatewayMeasures } from './ops/measures.ts'
import {
  discardDeadLetter,
  readOps,
  replayAllDeadLetters,
  replayDeadLetter,
  resendMail,
  watchOps,
} from './ops/ops.ts'
import { createRecent } from './ops/recent.ts'
import { createOpsReader, opsClients } from './ops/snapshot.ts'
import { reportWebVitals } from './ops/web-vitals.ts'
import { downloadCertificate, getCertificate } from './share/certificates.ts'
import { downloadSong } from './share/download-song.ts'
import { createDrawings } from './share/drawing/drawings.ts'
import { exportAccount } from './share/export/export-account.ts'
import { registerSharePage } from './share/share-page.ts'
import { sharedAudio, sharedSong, sharedWaveform } from './share/shared-song.ts'
import { createShare, endShare, listShares } from './share/shares.ts'
import { acceptSong, askChanges, cancelSong, changeSong } from './songs/own-song.ts'
import { nextPromise } from './songs/next-promise.ts'
import {
  listMessages,
  readMessages,
  readMessagesAsOperator,
  writeMessage,
  writeMessageAsOperator,
} from './songs/messages.ts'
import { requestSong } from './songs/request-song.ts'
import { songAudio, songWaveform } from './songs/song-audio.ts'
import { songReads } from './songs/song-reads.ts'
import { getSong, listSongs } from './songs/songs.ts'
import type { KeyValue } from './api/key-value/port.ts'

export interface GatewayDeps {
  readonly db: Database
  readonly clock: Clock
  readonly kv: KeyValue
  readonly bus: EventBus
  readonly calls: ServiceCall
  readonly logger: Logger
  readonly config: GatewayConfig
}

type Deps = ReturnType<typeof createDeps>

/** All that routes, hooks and jobs need, made once; each names what it takes of it. */
export function createDeps(given: GatewayDeps) {
  const measures = gatewayMeasures()
  const base = {
    ...given,
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
  const { db, clock, kv, calls, config } = base
  const ops = opsClients(calls)
  const clients = createClients(calls)
  return {
    ...base,
    ...clients,
    ops,
    recent: createRecent(clock),
    readOps: createOpsReader({ db, clock, ops, notifier: clients.notifier, songs: clients.songs }),
    songReads: songReads(clients.songs),
    sessions: createSessions(kv, db, clock),
    operatorPassword: createOperatorPassword(base, config.operatorPasswordHash),
    identity: createIdentityProvider(config),
    countries: createCountries(config),
    drawings: createDrawings(),
    fingerprint: keyedHash(config, 'fingerprint of requests'),
    ...userRecords(db, clock),
    measures,
  }
}

/**
 * The public API. The hooks below run in this order, which is the order in which a request is refused: cross-site, access,
 * rate limits, body; then the route's own checks.
 */
export async function createPublicApp(
  deps: Deps,
  assertMigrated: () => Promise<void>,
): Promise<FastifyInstance> {
  const { config } = deps
  // a value of our bodies fits one variant of a union only, and sorting the variants took longer than all else about a body
  Settings.Set({ unionPrioritySort: false })
  const headers = securityHeaders(config)
  const app = createServer(deps, { headers, methodsOf: (url) => methodsOf(url) })
  const methodsOf = collectPaths(app)
  const webPage = withKeptAssets(deps.kv, createWebPage(config))

  traceRequests(app, 'gateway', { isPublic: true })
  registerRequestContext(app, deps)
  registerSecurityHeaders(app, headers)
  registerErrors(app)
  registerLingeringClose(app)
  registerStalled(app)
  registerCrossSite(app, config.publicUrl)
  registerUnknown(app, methodsOf, webPage)
  await app.register(cookie)
  registerAccess(app, deps)
  registerBrowserFacts(app, deps)
  registerLimits(app, deps)
  registerBodies(app, deps.clock)
  await registerWeb(app, config, webPage)
  app.get('/docs.css', { schema: { hide: true } }, sendDocsStyle)
  app.get('/.well-known/security.txt', { schema: { hide: true } }, sendSecurityContact(deps))
  await registerCompression(app)
  registerSharePage(app, deps)
  await app.register(swagger, documentOptions(config, sessionCookieName(config)))

  registerHealth(app, assertMigrated)
  const streams = [live(deps), watchOps(deps)]
  for (const route of [...allRoutes(deps), ...streams.map(({ route }) => route), ...docs(app, config)])
    registerRoute(app, deps, route)
  runFeed(app, deps, () => streams.forEach(({ endAll }) => endAll()))
  registerClosing(app)
  app.addHook('onClose', async () => deps.drawings.close())
  return app
}

/** The public API, but for the live streams and its own document. */
const allRoutes = (deps: Deps): PublicRoute[] => [
  login(deps),
  callback(deps),
  logout(deps),
  endOtherSessions(deps),
  listSessions(deps),
  endSession(deps),
  me(deps),
  exportAccount(deps),
  getClosing(deps),
  closeAccount(deps),
  listNotices(deps),
  readNotices(deps),
  getPreferences(deps),
  changePreferences(deps),
  pushKey(deps),
  subscribeToPush(deps),
  endPushSubscription(deps),
  nextPromise(deps),
  requestSong(deps),
  listSongs(deps),
  getSong(deps),
  changeSong(deps),
  cancelSong(deps),
  askChanges(deps),
  acceptSong(deps),
  listMessages(deps),
  writeMessage(deps),
  readMessages(deps),
  songAudio(deps),
  songWaveform(deps),
  downloadSong(deps),
  createShare(deps),
  listShares(deps),
  endShare(deps),
  sharedSong(deps),
  sharedAudio(deps),
  sharedWaveform(deps),
  downloadCertificate(deps),
  getCertificate(deps),
  balance(deps),
  debt(deps),
  statement(deps),
  paymentMethods(deps),
  geo(deps),
  startPayment(deps),
  startAlternatePayment(deps),
  openTransfer(deps),
  getSession(deps),
  listPayments(deps),
  getPayment(deps),
  ...webhooks(deps),
  legalPage(deps),
  reportClientError(deps),
  reportWebVitals(deps),
  unlock(deps),
  lock(deps),
  listAllSongs(deps),
  fulfilSong(deps),
  deliverChanges(deps),
  refundSong(deps),
  startSong(deps),
  releaseSong(deps),
  declineSong(deps),
  writeNote(deps),
  stateMade(deps),
  writeMessageAsOperator(deps),
  readMessagesAsOperator(deps),
  replaceVersion(deps),
  ...uploads(deps),
  makeDrafts(deps),
  listDrafts(deps),
  draftAudio(deps),
  removeDraft(deps),
  listTransfers(deps),
  recordTransfer(deps),
  confirmTransfer(deps),
  rejectTransfer(deps),
  adjustCredits(deps),
  refundPayment(deps),
  listPeople(deps),
  exportPerson(deps),
  endSessionsOf(deps),
  closePerson(deps),
  listDebts(deps),
  listAllPayments(deps),
  audit(deps),
  readOps(deps),
  replayDeadLetter(deps),
  discardDeadLetter(deps),
  replayAllDeadLetters(deps),
  resendMail(deps),
]
