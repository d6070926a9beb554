import { fromCents, MAX_BY_HAND_CENTS } from '@prelude/contracts'
import { AppError, type Clock, type Database } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { personOf } from '../api/caller.ts'
import type { GatewayConfig } from '../config.ts'
import type { OperatorPassword } from './password.ts'
import { addUnconfirmed, removeUnconfirmed, type UnconfirmedCredits } from './store/unconfirmed-credits.ts'
import { Password } from './unlock.ts'

export type ConfirmDeps = {
  clock: Clock
  config: GatewayConfig
  db: Database
  operatorPassword: OperatorPassword
}

/** Refusals of an operation that confirms its amount, and what its body has in addition. */
export const UNCONFIRMED = [
  'amount_too_high',
  'operator_password_required',
  'wrong_operator_password',
  'too_many_requests',
] as const
export const Confirmed = { password: Type.Optional(Password) }

/**
 * The one way by which the operator gives, returns (positive) or takes credits: an open session does not suffice for more than the
 * configured size in one call, nor for giving and returning more than that within an hour. `id` is that of the credits, which calls
 * that can give them only once share: a repeat under another idempotency key counts once. They must also be refused alike: what one
 * of them added is removed when it is refused, and another that came meanwhile adds nothing of its own.
 * Errors: amount_too_high, operator_password_required, wrong_operator_password, too_many_requests.
 */
export async function withConfirmedAmount<T>(
  deps: ConfirmDeps,
  request: FastifyRequest,
  { id, cents, password }: { id: string; cents: number; password: string | undefined },
  give: () => Promise<T>,
): Promise<T> {
  const { config, operatorPassword } = deps
  const { uid } = personOf(request)
  if (Math.abs(cents) > MAX_BY_HAND_CENTS) {
    const most = fromCents(MAX_BY_HAND_CENTS).toLocaleString('en')
    throw new AppError('amount_too_high', { detail: `One call can give or take at most ${most} credits` })
  }
  if (password !== undefined) await operatorPassword.check(uid, password)
  else if (Math.abs(cents) > config.confirmAboveCents) throw new AppError('operator_password_required')
  else if (cents > 0 && config.rateLimits) return giveCounted(deps, { id, uid, cents }, give)
  return give()
}

async function giveCounted<T>(
  { config, db, clock }: ConfirmDeps,
  credits: UnconfirmedCredits,
  give: () => Promise<T>,
): Promise<T> {
  const added = await db.transaction(async (tx) =>
    addUnconfirmed(tx, credits, { now: await clock.databaseNow(tx), mostCents: config.confirmAboveCents }),
  )
  if (added === 'too_much') {
    const detail = 'So much within an hour also needs the admin password.'
    throw new AppError('operator_password_required', { detail })
  }
  try {
    return await give()
  } catch (error) {
    // a refusal gave nothing, a failure perhaps did; what cannot be removed counts for an hour
    const isRefused = error instanceof AppError && error.status < 500
    if (isRefused && added === 'added') await removeUnconfirmed(db, credits.id).catch(() => {})
    throw error
  }
}
