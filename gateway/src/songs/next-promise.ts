import { NextPromise } from '@prelude/contracts'
import { type Clock, Unavailable } from '@prelude/platform'
import type { SongsClient } from '../api/clients.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { sharedAnswer } from '../api/shared-answer.ts'

const FRESH_FOR_MS = 1_000

export const nextPromise = ({ clock, songs }: { clock: Clock; songs: SongsClient }): PublicRoute => {
  const read = sharedAnswer(clock, FRESH_FOR_MS, () =>
    songs.promise().catch((error: unknown) => {
      throw new Unavailable('songs', error)
    }),
  )
  return publicRoute('GET /api/promise', {
    access: 'anyone',
    summary: 'When a song would be ready that is charged now; the same for everybody',
    reply: NextPromise,
    handle: async ({ reply }) => {
      const promise = await read()
      void reply.header('cache-control', 'public, max-age=10')
      return promise
    },
  })
}
