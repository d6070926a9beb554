import { creditsApi } from '@prelude/contracts'
import { route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { readAccounts } from '../store/accounts.ts'
import type { RouteDeps } from './account.ts'

export function accountsRoute(app: FastifyInstance, { db }: RouteDeps): void {
  route(app, creditsApi.accounts, async ({ body }) => ({ items: await readAccounts(db, body.uids) }))
}
