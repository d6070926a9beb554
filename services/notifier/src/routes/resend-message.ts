import type { notifierApi } from '@prelude/contracts'
import { AppError, type Clock, type Database, isId, type RouteHandler } from '@prelude/platform'
import { queueAgain } from '../store/message.ts'

/** Errors: mail_not_found. */
export const resendMessage =
  (db: Database, clock: Clock): RouteHandler<typeof notifierApi.resend> =>
  async ({ params: { id = '' } }) => {
    if (!isId(id) || !(await queueAgain(db, id, clock.now()))) throw new AppError('mail_not_found')
    return {}
  }
