import {
  AccountClosed,
  CreditsCharged,
  CreditsDeclined,
  CreditsRefunded,
  songsApi,
  VersionsAnalyzed,
} from '@prelude/contracts'
import { createCrowd, type Database, on, route, type Service, type ServiceSchema } from '@prelude/platform'
import { eraseLateSongs, eraseSongs } from './handlers/erase-songs.ts'
import { songsInvariants } from './invariants.ts'
import { songsMeasures } from './measures.ts'
import { recordCharge } from './handlers/record-charge.ts'
import { recordCreditsBack } from './handlers/record-credits-back.ts'
import { recordDecline } from './handlers/record-decline.ts'
import { showAnalysis } from './handlers/show-analysis.ts'
import { checkFulfillable } from './routes/check-fulfillable.ts'
import { countSongs } from './routes/count-songs.ts'
import { fulfilSong } from './routes/fulfil-song.ts'
import { getSong } from './routes/get-song.ts'
import { holdForRefund } from './routes/hold-for-refund.ts'
import { listNamedPaths } from './routes/list-named-paths.ts'
import { listSongs } from './routes/list-songs.ts'
import { recordRefund } from './routes/record-refund.ts'
import { replaceVersion } from './routes/replace-version.ts'
import { requestSong } from './routes/request-song.ts'
import { createSongTexts } from './song-texts.ts'

export { songsInvariants } from './invariants.ts'

export const songsSchema: ServiceSchema = {
  schema: 'songs',
  migrations: new URL('../migrations/', import.meta.url),
}

/** After twice as long nothing is remembered that nobody lists, nor of whom was erased. */
const TEXTS_FORGOTTEN_MS = 60_000

/** Song requests: their texts, their charges, and the objects of their two versions. */
export function createSongs({ db }: { db: Database }): Service {
  const measures = songsMeasures(db)
  const request = requestSong(db)
  const crowd = createCrowd()
  const texts = createSongTexts()
  return {
    name: 'songs',
    ...songsSchema,
    routes: (app) => {
      route(app, songsApi.request, (call) => crowd.admit(() => request(call)))
      route(app, songsApi.list, listSongs(db, texts))
      route(app, songsApi.get, getSong(db))
      route(app, songsApi.checkFulfillable, checkFulfillable(db))
      route(app, songsApi.fulfil, fulfilSong(db, measures))
      route(app, songsApi.replaceVersion, replaceVersion(db))
      route(app, songsApi.holdForRefund, holdForRefund(db))
      route(app, songsApi.recordRefund, recordRefund(db))
      route(app, songsApi.ofPerson, countSongs(db))
      route(app, songsApi.namedPaths, listNamedPaths(db))
    },
    requestsComeFirst: crowd.comesFirst,
    reactions: [
      on(CreditsCharged, recordCharge),
      on(CreditsDeclined, recordDecline),
      on(CreditsRefunded, recordCreditsBack),
      on(VersionsAnalyzed, showAnalysis),
      on(AccountClosed, eraseSongs),
    ],
    jobs: [
      eraseLateSongs(db),
      { name: 'forget-song-texts', everyMs: TEXTS_FORGOTTEN_MS, run: async () => texts.tidy() },
    ],
    invariants: songsInvariants,
    measures,
  }
}
