import { Closing } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import { closeOwnAccount, closingOf } from './close-account.ts'
import { Binary, type Documentation, Header } from '../api/document/documentation.ts'
import { type Archive, archiveOf } from '../share/export/archive.ts'
import type { RouteDeps } from '../route-deps.ts'
import { freshSignIn, isFresh, personOf } from './access.ts'
import { sessionCookie } from './session-cookie.ts'
import { type PublicRoute, publicRoute } from '../api/public-route.ts'
import { SENT, type Sent } from '../api/sent.ts'
import type { FastifyReply } from 'fastify'

const area = 'Account'

export const archiveDocument: Documentation = {
  description:
    'A folder for each song with its texts, its certificate and its audio, earlier takes too; statement.csv; account.json (profile, credits, sessions, preferences, songs with all rounds of changes and all certificates, shares, statement, payments, mails, notices). What could not be read is named under `missing` in account.json.',
  answers: {
    200: {
      description: 'The archive.',
      content: { 'application/zip': Binary },
      headers: { 'content-disposition': Header('its name') },
    },
  },
}

export const exportAccount = (deps: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/account/export',
    access: 'person',
    area,
    summary: 'Everything that is kept of the caller, as a ZIP',
    head: false,
    guard: freshSignIn(deps),
    limit: 'drawn',
    refusals: ['sign_in_again'],
    document: archiveDocument,
    handle: async ({ request, reply }) => {
      const user = await deps.findUser(personOf(request).uid)
      if (!user) throw new AppError('not_signed_in')
      return sendArchive(reply, await archiveOf(deps, user))
    },
  })

export function sendArchive(reply: FastifyReply, { name, body }: Archive): Sent {
  void reply
    .type('application/zip')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'private, no-store')
    .send(body)
  return SENT
}

export const getClosing = (deps: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/account/closing',
    access: 'person',
    area,
    summary: 'What closing the account would end, and what stands in its way',
    reply: Closing,
    handle: async ({ request }) => {
      const caller = personOf(request)
      return { ...(await closingOf(deps, caller.uid)), signInAgain: !isFresh(deps, caller) }
    },
  })

export const closeAccount = (deps: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/account/close',
    access: 'person',
    area,
    summary: "Closes the caller's account for good; signing in again opens another one",
    guard: freshSignIn(deps),
    refusals: [
      'sign_in_again',
      'operator_stays',
      'wrong_confirmation',
      'account_in_debt',
      'payment_under_way',
      'balance_changed',
    ],
    body: Type.Object({
      email: Type.String({ description: "the account's address, typed as a confirmation" }),
      credits: Type.Number({ description: 'the balance that is given up, as it was shown' }),
    }),
    reply: Type.Object({ closed: Type.Literal(true) }),
    handle: async ({ request, reply, body }) => {
      await closeOwnAccount(deps, personOf(request).uid, body)
      sessionCookie(deps.config).clear(reply)
      return { closed: true }
    },
  })
