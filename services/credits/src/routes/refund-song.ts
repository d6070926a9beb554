import { creditsApi } from '@prelude/contracts'
import { AppError, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { refundSong } from '../refund-song.ts'
import type { RouteDeps } from './account.ts'

export function refundSongRoute(app: FastifyInstance, { db, ledger }: RouteDeps): void {
  route(app, creditsApi.refundSong, ({ params: { songId = '' }, body: { uid } }) =>
    db.transaction(async (tx) => {
      const account = await refundSong(tx, ledger, uid, songId)
      if (!account) throw new AppError('song_not_charged')
      return account
    }),
  )
}
