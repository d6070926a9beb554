import type { RouteDeps } from '../route-deps.ts'
import type { PublicRoute } from '../public-route.ts'
import { closeAccount, exportAccount, getClosing } from './account.ts'
import { callback } from './auth-callback.ts'
import { login } from './auth-login.ts'
import { logout } from './auth-logout.ts'
import { reportClientError } from './client-errors.ts'
import { balance, debt, statement } from './credits.ts'
import { me } from './me.ts'
import { lock, unlock } from './operator-access.ts'
import { closePerson, endSessionsOf, exportPerson } from './operator-accounts.ts'
import { deliverChanges, fulfilSong, replaceVersion } from './operator-fulfil.ts'
import {
  adjustCredits,
  confirmTransfer,
  listTransfers,
  recordTransfer,
  refundPayment,
  rejectTransfer,
} from './operator-money.ts'
import {
  discardDeadLetter,
  readOps,
  replayAllDeadLetters,
  replayDeadLetter,
  resendMail,
} from './operator-ops.ts'
import { audit, listAllPayments, listDebts, listPeople } from './operator-people.ts'
import { listAllSongs, refundSong } from './operator-songs.ts'
import { declineSong, releaseSong, startSong, writeNote } from './operator-studio.ts'
import { uploads } from './operator-uploads.ts'
import { listNotices, readNotices } from './notices.ts'
import { changePreferences, getPreferences } from './preferences.ts'
import { endPushSubscription, pushKey, subscribeToPush } from './push.ts'
import { endOtherSessions, endSession, listSessions } from './sessions.ts'
import { geo, paymentMethods } from './payment-methods.ts'
import {
  getPayment,
  getSession,
  listPayments,
  openTransfer,
  startAlternatePayment,
  startPayment,
} from './payments.ts'
import { acceptSong, askChanges, cancelSong, changeSong } from './own-song.ts'
import { requestSong } from './request-song.ts'
import { legalPage } from './legal.ts'
import { downloadCertificate, getCertificate } from './certificates.ts'
import { createShare, endShare, listShares } from './shares.ts'
import { sharedAudio, sharedSong, sharedWaveform } from './shared-song.ts'
import { downloadSong, songAudio, songWaveform } from './song-audio.ts'
import { getSong, listSongs } from './songs.ts'
import { webhooks } from './webhooks.ts'

/** The public API, but for the live streams and its own document. */
export const allRoutes = (deps: RouteDeps): PublicRoute[] => [
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
