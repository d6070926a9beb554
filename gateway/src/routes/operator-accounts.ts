import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import { closeAccount } from '../close-account.ts'
import { archiveOf } from '../export/archive.ts'
import type { Parts } from '../parts.ts'
import { noteAudit } from '../plugins/access.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'
import { archiveDocument, sendArchive } from './account.ts'
import { Reason } from './operator-songs.ts'

const area = 'Operator'

export const exportPerson = (parts: Parts): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/operator/people/:id/export',
    access: 'unlocked',
    area,
    action: 'export-person',
    summary: "Everything that is kept of a person, as a ZIP; the id is the person's uid",
    refusals: ['user_not_found'],
    head: false,
    document: archiveDocument,
    handle: async ({ reply, params: { id = '' } }) => {
      const user = await parts.findUser(id)
      if (!user) throw new AppError('user_not_found')
      return sendArchive(reply, await archiveOf(parts, user))
    },
  })

/** Not held up by debts, credits or open payments, as a person's own wish is: whoever calls has looked at them. */
export const closePerson = (parts: Parts): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/operator/people/:id/close',
    access: 'unlocked',
    area,
    action: 'close-account',
    summary: "Closes a person's account for good, at their wish; the id is the person's uid",
    refusals: ['user_not_found', 'operator_stays'],
    body: Type.Object({ reason: Reason }),
    reply: Type.Object({ closed: Type.Literal(true) }),
    handle: async ({ request, params: { id = '' }, body }) => {
      noteAudit(request, { detail: body.reason })
      await closeAccount(parts, id, 'operator')
      return { closed: true }
    },
  })
