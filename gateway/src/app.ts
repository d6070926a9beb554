import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import { Problem } from '@prelude/contracts'
import { AppError, compileLate, registerLingeringClose, traceRequests } from '@prelude/platform'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { Type } from 'typebox'
import { Settings } from 'typebox/system'
import { documentOptions } from './api/document/document.ts'
import { startFeed } from './live/feed.ts'
import type { RouteDeps } from './route-deps.ts'
import { registerAccess } from './accounts/access.ts'
import { registerBodies } from './api/plugins/bodies.ts'
import { registerClosing } from './api/plugins/closing.ts'
import { registerCrossSite } from './api/plugins/cross-site.ts'
import {
  answerClientError,
  type ClientErrorAnswers,
  PARSER_LIMIT_BYTES,
  registerErrors,
} from './api/plugins/errors.ts'
import { registerLimits } from './api/plugins/limits.ts'
import { registerRequestContext, requestId } from './api/plugins/request-context.ts'
import { registerStalled, STALLED_AFTER_MS } from './api/plugins/stalled.ts'
import { registerSecurityHeaders, securityHeaders } from './api/plugins/security-headers.ts'
import {
  collectPaths,
  createWebPage,
  registerCompression,
  registerUnknown,
  registerWeb,
} from './api/plugins/web.ts'
import { registerSharePage } from './share/share-page.ts'
import { type PublicRoute, registerRoute } from './api/public-route.ts'
import { closeAccount, exportAccount, getClosing } from './accounts/account.ts'
import { callback } from './accounts/auth-callback.ts'
import { login } from './accounts/auth-login.ts'
import { logout } from './accounts/auth-logout.ts'
import { reportClientError } from './ops/client-errors.ts'
import { balance, debt, statement } from './money/credits.ts'
import { me } from './accounts/me.ts'
import { lock, unlock } from './operator/unlock.ts'
import { closePerson, endSessionsOf, exportPerson } from './operator/accounts.ts'
import { deliverChanges, fulfilSong, replaceVersion } from './operator/fulfil.ts'
import {
  adjustCredits,
  confirmTransfer,
  listTransfers,
  recordTransfer,
  refundPayment,
  rejectTransfer,
} from './operator/money.ts'
import { discardDeadLetter, readOps, replayAllDeadLetters, replayDeadLetter, resendMail } from './ops/ops.ts'
import { audit, listAllPayments, listDebts, listPeople } from './operator/people.ts'
import { listAllSongs, refundSong } from './operator/songs.ts'
import { declineSong, releaseSong, startSong, writeNote } from './operator/studio.ts'
import { uploads } from './operator/uploads.ts'
import { listNotices, readNotices } from './accounts/notices.ts'
import { changePreferences, getPreferences } from './accounts/preferences.ts'
import { endPushSubscription, pushKey, subscribeToPush } from './accounts/push.ts'
import { endOtherSessions, endSession, listSessions } from './accounts/own-sessions.ts'
import { geo, paymentMethods } from './money/payment-methods.ts'
import {
  getPayment,
  getSession,
  listPayments,
  openTransfer,
  startAlternatePayment,
  startPayment,
} from './money/payments.ts'
import { acceptSong, askChanges, cancelSong, changeSong } from './songs/own-song.ts'
import { requestSong } from './songs/request-song.ts'
import { legalPage } from './api/legal.ts'
import { downloadCertificate, getCertificate } from './share/certificates.ts'
import { createShare, endShare, listShares } from './share/shares.ts'
import { sharedAudio, sharedSong, sharedWaveform } from './share/shared-song.ts'
import { downloadSong, songAudio, songWaveform } from './songs/song-audio.ts'
import { getSong, listSongs } from './songs/songs.ts'
import { webhooks } from './money/webhooks.ts'
import { docs, sendDocsStyle } from './api/docs.ts'
import { sendSecurityContact } from './api/security-contact.ts'
import { live } from './live/live.ts'
import { watchOps } from './ops/ops.ts'

const HEADERS_WITHIN_MS = 15_000

/**
 * The public API. The hooks below run in this order, which is the order in which a request is refused: cross-site, access,
 * rate limits, body; then the route's own checks.
 */
export async function createPublicApp(deps: RouteDeps): Promise<FastifyInstance> {
  const { config } = deps
  // a value of our bodies fits one variant of a union only, and sorting the variants took longer than all else about a body
  Settings.Set({ unionPrioritySort: false })
  const headers = securityHeaders(config)
  const app = createServer(deps, { headers, methodsOf: (url) => methodsOf(url) })
  const methodsOf = collectPaths(app)
  const webPage = createWebPage(config)

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
  registerLimits(app, deps)
  registerBodies(app, deps.clock)
  await registerWeb(app, config, webPage)
  app.get('/docs.css', { schema: { hide: true } }, sendDocsStyle)
  app.get('/.well-known/security.txt', { schema: { hide: true } }, sendSecurityContact(deps))
  await registerCompression(app)
  registerSharePage(app, deps)
  await app.register(swagger, documentOptions(config))

  app.get('/healthz', { schema: health }, async () => {
    await deps.assertMigrated().catch((cause: unknown) => {
      throw new AppError('unavailable', { cause })
    })
    return { status: 'ok' }
  })
  const streams = [live(deps), watchOps(deps)]
  for (const route of [...allRoutes(deps), ...streams.map(({ route }) => route), ...docs(app, config)])
    registerRoute(app, deps, route)
  runFeed(app, deps, () => streams.forEach(({ endAll }) => endAll()))
  registerClosing(app)
  app.addHook('onClose', async () => deps.drawings.close())
  return app
}

/** The public API, but for the live streams and its own document. */
const allRoutes = (deps: RouteDeps): PublicRoute[] => [
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
  requestSong(deps),
  listSongs(deps),
  getSong(deps),
  changeSong(deps),
  cancelSong(deps),
  askChanges(deps),
  acceptSong(deps),
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
  replaceVersion(deps),
  ...uploads(deps),
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

/** Which servers are down does not count: without any of them the landing page is still served. */
const health = {
  operationId: 'getHealthz',
  tags: ['About'],
  summary: 'The process is alive, on a schema that has had every migration of its version',
  response: {
    200: { description: 'OK', ...Type.Object({ status: Type.Literal('ok') }) },
    503: {
      description: 'The schema is older, or was not read yet',
      content: { 'application/problem+json': { schema: Problem } },
    },
  },
}

function createServer({ logger, config }: RouteDeps, answers: ClientErrorAnswers): FastifyInstance {
  const { headersWithinMs = HEADERS_WITHIN_MS, stalledAfterMs = STALLED_AFTER_MS } = config
  return Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request),
    connectionTimeout: stalledAfterMs,
    // no limit for whole requests (`requestTimeout`): an upload may take long
    http: {
      maxHeaderSize: PARSER_LIMIT_BYTES,
      requireHostHeader: false, // judged with the other headers, since Node's own refusal has none of ours
      headersTimeout: headersWithinMs,
      connectionsCheckingInterval: headersWithinMs / 3,
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, answers),
    routerOptions: { maxParamLength: PARSER_LIMIT_BYTES },
    rewriteUrl: (request) => normalPath(originForm(request.url ?? '/')),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // requests that arrive while it stops are answered like all others
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    schemaController: { compilersFactory: compileLate },
  }) as unknown as FastifyInstance
}

/** A target may name scheme and host too (RFC 9112, 3.2.2): hooks see the path that is routed, as in any other request. */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')

/**
 * A character that needs no escape is the same with one (RFC 3986, 6.2.2.2): hooks see the path that is routed. A path that
 * cannot be decoded is taken literally: unknown like any other, not an error of its own.
 */
function normalPath(url: string): string {
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return [path.replace(/%(2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi, decodeURIComponent), ...query].join(
      '?',
    )
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}

/** The feed runs while the app does; open streams end first, or the server would never close. */
function runFeed(app: FastifyInstance, deps: RouteDeps, endStreams: () => void): void {
  let feed: ReturnType<typeof startFeed> | undefined
  app.addHook('onReady', async () => {
    feed = startFeed(deps)
  })
  app.addHook('preClose', async () => {
    endStreams()
    await feed?.stop()
  })
}
