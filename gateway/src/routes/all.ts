import type { Parts } from '../parts.ts'
import type { PublicRoute } from '../public-route.ts'
import { closeAccount, exportAccount, getClosing } from './account.ts'
import { callback } from './auth-callback.ts'
import { login } from './auth-login.ts'
import { logout } from './auth-logout.ts'
import { balance, debt, statement } from './credits.ts'
import { me } from './me.ts'
import { lock, unlock } from './operator-access.ts'
import { closePerson, exportPerson } from './operator-accounts.ts'
import { fulfilSong, replaceVersion } from './operator-fulfil.ts'
import {
  adjustCredits,
  confirmTransfer,
  listTransfers,
  recordTransfer,
  refundPayment,
  rejectTransfer,
} from './operator-money.ts'
import { discardLetter, readOps, replayAllLetters, replayLetter, resendMail } from './operator-ops.ts'
import { audit, listAllPayments, listDebts, listPeople } from './operator-people.ts'
import { listAllSongs, refundSong } from './operator-songs.ts'
import { uploads } from './operator-uploads.ts'
import { geo, paymentMethods } from './payment-methods.ts'
import {
  getPayment,
  getSession,
  listPayments,
  openTransfer,
  startAlternatePayment,
  startPayment,
} from './payments.ts'
import { requestSong } from './request-song.ts'
import { downloadSong, songAudio, songWaveform } from './song-audio.ts'
import { getSong, listSongs } from './songs.ts'
import { webhook } from './webhooks.ts'

/** The public API, but for the live streams and its own document. */
export const allRoutes = (parts: Parts): PublicRoute[] => [
  login(parts),
  callback(parts),
  logout(parts),
  me(parts),
  exportAccount(parts),
  getClosing(parts),
  closeAccount(parts),
  requestSong(parts),
  listSongs(parts),
  getSong(parts),
  songAudio(parts),
  songWaveform(parts),
  downloadSong(parts),
  balance(parts),
  debt(parts),
  statement(parts),
  paymentMethods(parts),
  geo(parts),
  startPayment(parts),
  startAlternatePayment(parts),
  openTransfer(parts),
  getSession(parts),
  listPayments(parts),
  getPayment(parts),
  webhook(parts, 'stripe'),
  webhook(parts, 'paystack'),
  unlock(parts),
  lock(parts),
  listAllSongs(parts),
  fulfilSong(parts),
  refundSong(parts),
  replaceVersion(parts),
  ...uploads(parts),
  listTransfers(parts),
  recordTransfer(parts),
  confirmTransfer(parts),
  rejectTransfer(parts),
  adjustCredits(parts),
  refundPayment(parts),
  listPeople(parts),
  exportPerson(parts),
  closePerson(parts),
  listDebts(parts),
  listAllPayments(parts),
  audit(parts),
  readOps(parts),
  replayLetter(parts),
  discardLetter(parts),
  replayAllLetters(parts),
  resendMail(parts),
]
