import type { CreditsRefunded } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { onRefunded } from '../domain/song.ts'
import { recordAnswer } from '../record-answer.ts'

/** Also where the operator's call was cut off between the refund and its record here. */
export const recordCreditsBack: Handler<typeof CreditsRefunded> = async (event, tx) => {
  await recordAnswer(tx, event.data.songId, onRefunded)
}
