import type { Account, creditsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { refundSong as refund } from '../refund-song.ts'
import type { Ledger } from '../store/ledger.ts'

export const refundSong =
  (db: Database, ledger: Ledger) =>
  ({
    params: { songId = '' },
    body: { uid },
  }: RouteContext<typeof creditsApi.refundSong>): Promise<Account> =>
    db.transaction(async (tx) => {
      const account = await refund(tx, ledger, uid, songId)
      if (!account) throw new AppError('song_not_charged')
      return account
    })
