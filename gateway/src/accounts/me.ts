import { fromCents, Me, nameOf } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { personOf } from '../api/caller.ts'
import type { CreditsClient } from '../api/clients.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { type FindUser, mailsRefused } from './store/users.ts'

export const me = ({ findUser, credits }: { credits: CreditsClient; findUser: FindUser }): PublicRoute =>
  publicRoute('GET /api/me', {
    access: 'person',
    summary: 'Who is signed in',
    refusals: ['not_signed_in'],
    lenient: 'not_signed_in',
    reply: Me,
    handle: async ({ request }): Promise<Me> => {
      const caller = personOf(request)
      const [user, account] = await Promise.all([
        findUser(caller.uid),
        credits.account({ params: { uid: caller.uid } }).catch(() => null),
      ])
      if (!user) throw new AppError('not_signed_in')
      return {
        uid: user.uid,
        name: user.name,
        firstName: nameOf(user),
        email: user.email,
        photoURL: user.photoUrl,
        role: 'user',
        credits: account && fromCents(account.balanceCents),
        operator: { eligible: caller.isOperator, unlocked: caller.isUnlocked },
        ...mailsRefused(user),
      }
    },
  })
