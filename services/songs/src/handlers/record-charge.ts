import type { CreditsCharged } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { onCharged } from '../domain/song.ts'

export const recordCharge: Handler<typeof CreditsCharged> = async (event, tx) => {
  await changeSong(tx, event.data.songId, onCharged)
}
