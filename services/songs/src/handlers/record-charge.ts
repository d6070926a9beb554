import type { CreditsCharged } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { onCharged } from '../domain/song.ts'
import { recordAnswer } from '../record-answer.ts'

export const recordCharge: Handler<typeof CreditsCharged> = async (event, tx) => {
  await recordAnswer(tx, event.data.songId, onCharged)
}
