import {
  AccountClosed,
  certificatesApi,
  CreditsCharged,
  CreditsDeclined,
  CreditsRefunded,
  messagesApi,
  sharesApi,
  SONG_PRICE_CENTS,
  songsApi,
  STANDARD_TERMS,
  VersionsAnalyzed,
} from '@prelude/contracts'
import {
  type Clock,
  type Database,
  on,
  onMany,
  route,
  type Service,
  type ServiceSchema,
  type Subscriber,
} from '@prelude/platform'
import { eraseLateSongs, eraseSongs } from './handlers/erase-songs.ts'
import type { Terms } from './domain/song.ts'
import { recordAnalyzed, recordCharged, recordDeclined, recordRefunded } from './handlers/record-answers.ts'
import { songsInvariants } from './invariants.ts'
import { songsMeasures } from './measures.ts'
import { markLateAndAccepted } from './jobs/mark-late-and-accepted.ts'
import { acceptSong } from './routes/accept-song.ts'
import { askChanges } from './routes/ask-changes.ts'
import { changeByOwner } from './routes/change-by-owner.ts'
import { getCertificate, listCertificates } from './routes/certificates.ts'
import { checkChanges } from './routes/check-changes.ts'
import { checkFulfillable } from './routes/check-fulfillable.ts'
import { cancelSong, declineSong, refundSong } from './routes/close-song.ts'
import { countSongs } from './routes/count-songs.ts'
import { deliverChanges } from './routes/deliver-changes.ts'
import { fulfilSong } from './routes/fulfil-song.ts'
import { getSong } from './routes/get-song.ts'
import { getSongs } from './routes/get-songs.ts'
import { releaseSong } from './routes/release-song.ts'
import { stateMade } from './routes/state-made.ts'
import { startSong } from './routes/start-song.ts'
import { writeNote } from './routes/write-note.ts'
import { listEarlierChanges } from './routes/list-earlier-changes.ts'
import { listNamedPaths } from './routes/list-named-paths.ts'
import { listSongs } from './routes/list-songs.ts'
import { nextPromise } from './routes/next-promise.ts'
import { listTakes } from './routes/list-takes.ts'
import { listMessages, listUnread, readMessages, writeMessage } from './routes/messages.ts'
import { replaceTake } from './routes/replace-take.ts'
import { requestSong } from './routes/request-song.ts'
import { countPlay, createShare, endShare, listShares, openShare } from './routes/shares.ts'

export { songsProgram, songsSettings } from './config.ts'
export type { Terms } from './domain/song.ts'
export { songsInvariants } from './invariants.ts'

export const songsSchema: ServiceSchema = {
  name: 'songs',
  migrations: new URL('../migrations/', import.meta.url),
}

export const songsSubscribers = (clock: Clock, config: Terms): readonly Subscriber[] => [
  onMany(CreditsCharged, recordCharged(clock, config)),
  onMany(CreditsDeclined, recordDeclined(clock)),
  onMany(CreditsRefunded, recordRefunded(clock)),
  onMany(VersionsAnalyzed, recordAnalyzed(clock)),
  on(AccountClosed, eraseSongs(clock)),
]

/** Song requests: their texts, their charges, and which objects of storage are their takes. */
export function createSongs(deps: {
  db: Database
  clock: Clock
  config?: Terms
  /** Of new songs. */
  priceCents?: number
}): Service {
  const { db, clock, config = STANDARD_TERMS, priceCents = SONG_PRICE_CENTS } = deps
  const measures = songsMeasures(db, clock)
  return {
    ...songsSchema,
    routes: (app) => {
      route(app, songsApi.request, requestSong(db, clock, priceCents))
      route(app, songsApi.promise, nextPromise(db, clock, config))
      route(app, songsApi.list, listSongs(db))
      route(app, songsApi.get, getSong(db))
      route(app, songsApi.words, getSong(db))
      route(app, songsApi.byIds, getSongs(db))
      route(app, songsApi.checkFulfillable, checkFulfillable(db))
      route(app, songsApi.fulfil, fulfilSong(db, clock, measures))
      route(app, songsApi.replaceTake, replaceTake(db, clock))
      route(app, songsApi.start, startSong(db, clock, config))
      route(app, songsApi.release, releaseSong(db, clock))
      route(app, songsApi.cancel, cancelSong(db, clock))
      route(app, songsApi.decline, declineSong(db, clock))
      route(app, songsApi.refund, refundSong(db, clock))
      route(app, songsApi.change, changeByOwner(db, clock))
      route(app, songsApi.askChanges, askChanges(db, clock, config))
      route(app, songsApi.checkChanges, checkChanges(db))
      route(app, songsApi.deliverChanges, deliverChanges(db, clock))
      route(app, songsApi.stateMade, stateMade(db, clock))
      route(app, songsApi.accept, acceptSong(db, clock))
      route(app, songsApi.note, writeNote(db, clock))
      route(app, songsApi.takes, listTakes(db))
      route(app, songsApi.earlierChanges, listEarlierChanges(db))
      route(app, messagesApi.list, listMessages(db))
      route(app, messagesApi.unread, listUnread(db))
      route(app, messagesApi.write, writeMessage(db, clock, config))
      route(app, messagesApi.read, readMessages(db, clock))
      route(app, sharesApi.create, createShare(db, clock))
      route(app, sharesApi.list, listShares(db, clock))
      route(app, sharesApi.end, endShare(db, clock))
      route(app, sharesApi.open, openShare(db, clock))
      route(app, sharesApi.countPlay, countPlay(db))
      route(app, certificatesApi.get, getCertificate(db))
      route(app, certificatesApi.ofSong, listCertificates(db))
      route(app, songsApi.ofPerson, countSongs(db))
      route(app, songsApi.namedPaths, listNamedPaths(db))
    },
    subscribers: songsSubscribers(clock, config),
    jobs: [eraseLateSongs(db, clock), markLateAndAccepted(db, clock, config)],
    invariants: songsInvariants,
    measures,
  }
}
