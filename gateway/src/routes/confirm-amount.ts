import { AppError } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { personOf } from '../plugins/access.ts'
import type { RouteDeps } from '../route-deps.ts'
import { Password } from './operator-access.ts'

/** Refusals of an operation that confirms its amount, and what its body has in addition. */
export const UNCONFIRMED = [
  'operator_password_required',
  'wrong_operator_password',
  'too_many_requests',
] as const
export const Confirmed = { password: Type.Optional(Password) }

/**
 * An open session of the operator does not suffice for an amount above the configured size.
 * Errors: operator_password_required, wrong_operator_password, too_many_requests.
 */
export async function confirmAmount(
  { config, operatorPassword }: RouteDeps,
  request: FastifyRequest,
  { cents, password }: { cents: number; password: string | undefined },
): Promise<void> {
  if (Math.abs(cents) <= config.confirmAboveCents) return
  if (password === undefined) throw new AppError('operator_password_required')
  await operatorPassword.check(personOf(request).uid, password)
}
