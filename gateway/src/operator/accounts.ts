import { Type } from 'typebox'
import { freshSignIn, noteAudit } from '../accounts/access.ts'
import { closeAccount, type ClosingDeps } from '../accounts/close-account.ts'
import { knownUser } from '../accounts/store/users.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { type ArchiveDeps, archiveOf } from '../share/export/archive.ts'
import { archiveDocument, sendArchive } from '../share/export/export-account.ts'
import { Reason } from './songs.ts'

type Deps = ArchiveDeps & ClosingDeps

export const exportPerson = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/operator/people/:id/export', {
    access: 'unlocked',
    action: 'export-person',
    summary: "Everything that is kept of a person, as a ZIP; the id is the person's uid",
    guard: freshSignIn(deps),
    limit: 'drawn',
    refusals: ['sign_in_again', 'user_not_found'],
    head: false,
    document: archiveDocument,
    handle: async ({ reply, params: { id = '' } }) =>
      sendArchive(reply, await archiveOf(deps, await knownUser(deps, id))),
  })

export const endSessionsOf = (deps: Deps): PublicRoute =>
  publicRoute('DELETE /api/operator/people/:uid/sessions', {
    access: 'unlocked',
    action: 'end-sessions',
    summary: 'Ends all sessions of a person, as when a device was lost',
    refusals: ['user_not_found'],
    status: 204,
    handle: async ({ params: { uid = '' } }) => {
      await knownUser(deps, uid)
      await deps.sessions.endOthers({ uid, hash: null })
    },
  })

/** Unlike a person's own request, not refused because of debts, credits or open payments: the operator has seen them. */
export const closePerson = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/people/:id/close', {
    access: 'unlocked',
    action: 'close-account',
    summary: "Closes a person's account for good, at their wish; the id is the person's uid",
    guard: freshSignIn(deps),
    refusals: ['sign_in_again', 'user_not_found', 'operator_stays'],
    body: Type.Object({ reason: Reason }),
    reply: Type.Object({ closed: Type.Literal(true) }),
    handle: async ({ request, params: { id = '' }, body }) => {
      noteAudit(request, { detail: body.reason })
      await closeAccount(deps, id, 'operator')
      return { closed: true }
    },
  })
