import type { CreditsDeclined } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { onDeclined } from '../domain/song.ts'
import { recordAnswer } from '../record-answer.ts'

/** The song waits for credits: the person sees "Top Up". */
export const recordDecline: Handler<typeof CreditsDeclined> = async (event, tx) => {
  await recordAnswer(tx, event.data.songId, onDeclined)
}
