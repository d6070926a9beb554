import {
  AccountClosed,
  CreditsCharged,
  CreditsDeclined,
  CreditsRefunded,
  songsApi,
  VersionsAnalyzed,
} from '@prelude/contracts'
import { type Database, on, onMany, route, type Service, type ServiceSchema } from '@prelude/platform'
import { eraseLateSongs, eraseSongs } from './handlers/erase-songs.ts'
import { onCharged, onDeclined, onRefunded } from './domain/song.ts'
import { recordAnswers, withNewRevision } from './handlers/record-answers.ts'
import { songsInvariants } from './invariants.ts'
import { songsMeasures } from './measures.ts'
import { addTakes } from './routes/add-takes.ts'
import { checkFulfillable } from './routes/check-fulfillable.ts'
import { countSongs } from './routes/count-songs.ts'
import { fulfilSong } from './routes/fulfil-song.ts'
import { getSong } from './routes/get-song.ts'
import { holdForRefund } from './routes/hold-for-refund.ts'
import { releaseHold } from './routes/release-hold.ts'
import { listNamedPaths } from './routes/list-named-paths.ts'
import { listSongs } from './routes/list-songs.ts'
import { listTakes } from './routes/list-takes.ts'
import { recordRefund } from './routes/record-refund.ts'
import { replaceTake } from './routes/replace-take.ts'
import { requestSong } from './routes/request-song.ts'

export { songsInvariants } from './invariants.ts'

export const songsSchema: ServiceSchema = {
  name: 'songs',
  migrations: new URL('../migrations/', import.meta.url),
}

/** Song requests: their texts, their charges, and which objects of storage are their takes. */
export function createSongs({ db }: { db: Database }): Service {
  const measures = songsMeasures(db)
  return {
    ...songsSchema,
    routes: (app) => {
      route(app, songsApi.request, requestSong(db))
      route(app, songsApi.list, listSongs(db))
      route(app, songsApi.get, getSong(db))
      route(app, songsApi.checkFulfillable, checkFulfillable(db))
      route(app, songsApi.fulfil, fulfilSong(db, measures))
      route(app, songsApi.replaceTake, replaceTake(db))
      route(app, songsApi.addTakes, addTakes(db))
      route(app, songsApi.takes, listTakes(db))
      route(app, songsApi.holdForRefund, holdForRefund(db))
      route(app, songsApi.releaseHold, releaseHold(db))
      route(app, songsApi.recordRefund, recordRefund(db))
      route(app, songsApi.ofPerson, countSongs(db))
      route(app, songsApi.namedPaths, listNamedPaths(db))
    },
    subscribers: [
      onMany(CreditsCharged, recordAnswers(onCharged)),
      onMany(CreditsDeclined, recordAnswers(onDeclined)),
      onMany(CreditsRefunded, recordAnswers(onRefunded)),
      onMany(VersionsAnalyzed, recordAnswers(withNewRevision)),
      on(AccountClosed, eraseSongs),
    ],
    jobs: [eraseLateSongs(db)],
    invariants: songsInvariants,
    measures,
  }
}
