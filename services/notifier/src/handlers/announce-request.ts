import type { SongRequested } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

export const announceRequest: Handler<typeof SongRequested> = async (event, tx) => {
  const { uid, songId } = event.data
  await queueMessage(tx, { kind: 'song-requested', uid, songId })
}
