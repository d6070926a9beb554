import { Closing } from '@prelude/contracts'
import type { Clock } from '@prelude/platform'
import { Type } from 'typebox'
import { personOf } from '../api/caller.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { freshSignIn, isFresh } from './access.ts'
import { closeOwnAccount, type ClosingDeps, closingOf } from './close-account.ts'
import { sessionCookie } from './session-cookie.ts'

type Deps = ClosingDeps & { clock: Clock }

export const getClosing = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/account/closing', {
    access: 'person',
    summary: 'What closing the account would end, and what stands in its way',
    reply: Closing,
    handle: async ({ request }) => {
      const caller = personOf(request)
      return { ...(await closingOf(deps, caller.uid)), signInAgain: !isFresh(deps, caller) }
    },
  })

export const closeAccount = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/account/close', {
    access: 'person',
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
