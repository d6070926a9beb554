import type { notifierApi, ReplyOf } from '@prelude/contracts'
import { AppError, type Clock, type Database, isId, type RouteContext } from '@prelude/platform'
import { queueAgain } from '../store/message.ts'

/** Errors: mail_not_found. */
export const resendMessage =
  (db: Database, clock: Clock) =>
  async ({
    params: { id = '' },
  }: RouteContext<typeof notifierApi.resend>): Promise<ReplyOf<typeof notifierApi.resend>> => {
    if (!isId(id) || !(await queueAgain(db, id, clock.now()))) throw new AppError('mail_not_found')
    return {}
  }
