import { LetterOutcome, Ops, type ServiceName } from '@prelude/contracts'
import { AppError, isId } from '@prelude/platform'
import { Type } from 'typebox'
import { type AuditDeps, closeAudit, noteAudit } from '../accounts/access.ts'
import type { Sessions } from '../accounts/sessions.ts'
import { personOf } from '../api/caller.ts'
import type { NotifierClient } from '../api/clients.ts'
import { NO_FIELDS, publicRoute, type PublicRoute } from '../api/public-route.ts'
import { SENT } from '../api/sent.ts'
import { eventStream, frameOf } from '../live/stream.ts'
import { Reason } from '../operator/songs.ts'
import { isServiceName, type OpsClients } from './snapshot.ts'

type Deps = AuditDeps & {
  notifier: NotifierClient
  ops: OpsClients
  readOps: () => Promise<Ops>
  sessions: Sessions
}

/** The interval of updates to an open page. */
const EVERY_MS = 2_500
/** Open streams of one instance; an open page holds one. */
const MOST_STREAMS = 20

export const readOps = ({ readOps: read }: Deps): PublicRoute =>
  publicRoute('GET /api/operator/ops', {
    access: 'unlocked',
    action: 'read-ops',
    summary: 'State of every service: health, queues, dead letters, mails, slow requests, errors, alerts',
    reply: Ops,
    handle: () => read(),
  })

interface OpsStreams {
  readonly route: PublicRoute
  /** Ends all, so that the server can close. */
  endAll(): void
}

/** The same at an interval, as server-sent events: one call in the audit, however long the page is open. */
export function watchOps(deps: Deps): OpsStreams {
  const open = new Set<() => void>()
  const route = publicRoute('GET /api/operator/ops/live', {
    access: 'unlocked',
    action: 'watch-ops',
    summary:
      'The same as server-sent events: one `ops` every few seconds, until the session is locked or ends',
    refusals: ['too_many_requests'],
    document: {
      answers: {
        200: { description: 'The stream; it does not end.', content: { 'text/event-stream': Type.String() } },
      },
    },
    head: false,
    handle: async ({ request, reply }) => {
      if (open.size >= MOST_STREAMS) throw new AppError('too_many_requests', { retryAfterSeconds: 10 })
      const caller = personOf(request)
      const stream = eventStream(reply)
      const { end } = stream
      let timer: NodeJS.Timeout | undefined
      const update = async (): Promise<void> => {
        const [ops, unlocked] = await Promise.all([deps.readOps(), deps.sessions.isUnlocked(caller)])
        if (unlocked && (await deps.sessions.isAlive(caller.hash))) stream.send(frameOf('ops', ops))
        else end()
      }
      const again = (): void => {
        if (!stream.isOpen) return
        timer = setTimeout(() => void update().then(again, end), EVERY_MS)
      }
      open.add(end)
      await closeAudit(deps, request, 'ok')
      stream.begin(() => {
        clearTimeout(timer)
        open.delete(end)
      })
      void update().then(again, end)
      return SENT
    },
  })
  return { route, endAll: () => open.forEach((end) => end()) }
}

/** Errors: not_found for an unknown service, dead_letter_not_found for an unknown id. */
function deadLetterOf(params: Readonly<Record<string, string>>): { service: ServiceName; id: number } {
  const { service = '', id = '' } = params
  if (!isServiceName(service)) throw new AppError('not_found')
  if (!/^\d{1,15}$/.test(id)) throw new AppError('dead_letter_not_found')
  return { service, id: Number(id) }
}

export const replayDeadLetter = ({ ops }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/ops/dead-letters/:service/:id/replay', {
    access: 'unlocked',
    action: 'replay-dead-letter',
    summary: 'Handles an event that could not be handled again, and those that wait behind it',
    refusals: ['not_found', 'dead_letter_not_found', 'dead_letter_settled'],
    ...NO_FIELDS,
    reply: LetterOutcome,
    handle: async ({ request, params }) => {
      noteAudit(request, { target: `${params['service']} ${params['id']}` })
      const { service, id } = deadLetterOf(params)
      return ops[service].replay({ params: { id } })
    },
  })

export const discardDeadLetter = ({ ops }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/ops/dead-letters/:service/:id/discard', {
    access: 'unlocked',
    action: 'discard-dead-letter',
    summary: 'Gives an event up; those that wait behind it are handled',
    refusals: ['not_found', 'dead_letter_not_found', 'dead_letter_settled', 'dead_letter_behind'],
    body: Type.Object({ reason: Reason }),
    reply: LetterOutcome,
    handle: async ({ request, params, body: { reason } }) => {
      noteAudit(request, { target: `${params['service']} ${params['id']}`, detail: reason })
      const { service, id } = deadLetterOf(params)
      return ops[service].discard({ params: { id } })
    },
  })

export const replayAllDeadLetters = ({ ops }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/ops/dead-letters/:service/replay', {
    access: 'unlocked',
    action: 'replay-dead-letters',
    summary: 'Handles all events again that a service could not handle',
    refusals: ['not_found'],
    ...NO_FIELDS,
    reply: Type.Object({ keys: Type.Integer() }),
    handle: async ({ request, params: { service = '' } }) => {
      noteAudit(request, { target: service })
      if (!isServiceName(service)) throw new AppError('not_found')
      return ops[service].replayAll()
    },
  })

export const resendMail = ({ notifier }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/ops/mails/:id/resend', {
    access: 'unlocked',
    action: 'resend-mail',
    summary: 'Sends a mail now, whatever became of it before',
    refusals: ['mail_not_found'],
    ...NO_FIELDS,
    status: 204,
    handle: async ({ params: { id = '' } }) => {
      if (!isId(id)) throw new AppError('mail_not_found')
      await notifier.resend({ params: { id } })
    },
  })
