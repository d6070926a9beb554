import type { ReplyOf, songsApi } from '@prelude/contracts'
import type { Clock, Database } from '@prelude/platform'
import { mostAhead, promiseAt, type Terms } from '../domain/song.ts'
import { countCharged } from '../store/song.ts'

export const nextPromise =
  (db: Database, clock: Clock, terms: Terms) => async (): Promise<ReplyOf<typeof songsApi.promise>> => {
    const [now, ahead] = await Promise.all([clock.databaseNow(db), countCharged(db, mostAhead(terms))])
    return { readyBy: promiseAt(now, ahead, terms) }
  }
