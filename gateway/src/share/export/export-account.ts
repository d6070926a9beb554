import { AppError } from '@prelude/platform'
import type { FastifyReply } from 'fastify'
import { freshSignIn } from '../../accounts/access.ts'
import { personOf } from '../../api/caller.ts'
import { Binary, type Documentation, Header } from '../../api/document/documentation.ts'
import { publicRoute, type PublicRoute } from '../../api/public-route.ts'
import { SENT, type Sent } from '../../api/sent.ts'
import { type Archive, type ArchiveDeps, archiveOf } from './archive.ts'

export const archiveDocument: Documentation = {
  description:
    'A folder for each song with its texts, its certificate and its audio, earlier takes too; statement.csv; account.json (profile, credits, sessions, preferences with language and time zone of the browser, songs with all rounds of changes, all certificates and all messages, shares, statement, payments, mails, notices). What could not be read is named under `missing` in account.json.',
  answers: {
    200: {
      description: 'The archive.',
      content: { 'application/zip': Binary },
      headers: { 'content-disposition': Header('its name') },
    },
  },
}

export const exportAccount = (deps: ArchiveDeps): PublicRoute =>
  publicRoute('GET /api/account/export', {
    access: 'person',
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
