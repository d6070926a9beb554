import type { CreditsDeclined } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { onDeclined } from '../domain/song.ts'

/** The song waits for credits: the person sees "Top Up". */
export const recordDecline: Handler<typeof CreditsDeclined> = async (event, tx) => {
  await changeSong(tx, event.data.songId, onDeclined)
}
