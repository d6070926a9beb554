import type { CreditsRefunded } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import { queueMessage } from '../store/message.ts'

export const tellCreditsBack: Handler<typeof CreditsRefunded> = async (event, tx) => {
  const { uid, songId } = event.data
  await queueMessage(tx, { kind: 'credits-back', uid, songId })
}
