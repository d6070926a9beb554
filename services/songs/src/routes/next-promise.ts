import type { songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { mostAhead, promiseAt, type Terms } from '../domain/song.ts'
import { countCharged } from '../store/song.ts'

export const nextPromise =
  (db: Database, clock: Clock, terms: Terms): RouteHandler<typeof songsApi.promise> =>
  async () => {
    const [now, ahead] = await Promise.all([clock.databaseNow(db), countCharged(db, mostAhead(terms))])
    return { readyBy: promiseAt(now, ahead, terms) }
  }
