import type { SongFulfilled } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

export const tellSongReady: Handler<typeof SongFulfilled> = async (event, tx) => {
  const { uid, songId } = event.data
  await queueMessage(tx, { kind: 'song-ready', uid, songId })
}
