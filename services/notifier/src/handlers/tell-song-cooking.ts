import type { CreditsCharged } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

/** A song that is charged at once is seen at once; only who was waiting for credits is told. */
export const tellSongCooking: Handler<typeof CreditsCharged> = async (event, tx) => {
  const { uid, songId, waited } = event.data
  if (waited) await queueMessage(tx, { kind: 'song-cooking', uid, songId })
}
