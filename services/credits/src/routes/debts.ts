import { creditsApi } from '@prelude/contracts'
import { paged, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { readDebtors } from '../store/accounts.ts'
import type { RouteDeps } from './account.ts'

export function debtsRoute(app: FastifyInstance, { db }: RouteDeps): void {
  route(app, creditsApi.debts, ({ query }) =>
    paged(
      query,
      ['number', 'string'],
      (after, limit) => readDebtors(db, { after, limit }),
      ({ debtCents, uid }) => [debtCents, uid],
    ),
  )
}
