import { LIVE_BEAT_MS } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { type AuditDeps, auditOfOthers, closeAudit } from '../accounts/access.ts'
import { type Caller, personOf } from '../api/caller.ts'
import { every } from '../api/every.ts'
import { createBuildName } from '../api/plugins/web.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { SENT } from '../api/sent.ts'
import { acquireSlot, type Slot } from '../api/slots.ts'
import type { GatewayConfig } from '../config.ts'
import { type EventDeps, type EventOf, eventReader } from './objects.ts'
import { StreamUpdater, type UpdaterDeps } from './stream-updater.ts'
import { type EventStream, eventStream, frameOf } from './stream.ts'

type Deps = AuditDeps &
  EventDeps &
  UpdaterDeps & { readonly config: GatewayConfig; measures: { streams: (open: number) => void } }

const STREAMS = { name: 'stream', most: 10 }

interface OpenStreams {
  readonly route: PublicRoute
  /** Ends all, so that the server can close. */
  endAll(): void
}

interface Streams {
  /** The ends of all open ones. */
  readonly open: Set<() => void>
  readonly eventOf: EventOf
  readonly buildName: () => Promise<string | undefined>
}

/** Server-sent events: `ready` when nothing can be missed any more, then what changes for this person. */
export function live(deps: Deps): OpenStreams {
  const streams: Streams = {
    open: new Set(),
    eventOf: eventReader(deps),
    buildName: createBuildName(deps.config),
  }
  const route = publicRoute('GET /api/live', {
    access: 'person',
    summary:
      'Server-sent events: ready, song, credits, payment, notice, notices-read, preferences; for the unlocked operator operator-song, operator-transfer, operator-debt, operator-draft',
    ofOthers: 'watch-songs',
    refusals: ['not_signed_in', 'too_many_requests'],
    document: {
      description:
        '`ready` comes when the subscription is active: read everything then, and again after every reconnect. Its `build` names the web app that is served. `song` and `operator-song` carry a whole Song, `credits` a Credits, `payment` a whole Payment, `notice` a whole Notice, `notices-read` the time up to which they are read (`before`), `preferences` the whole Preferences, `operator-debt` who owes how much now, `operator-draft` a whole Draft, or `{id, songId, state: "removed"}`. What has a lower `revision` or `version` than what is known is old. At most 10 streams a person.',
      answers: {
        200: { description: 'The stream; it does not end.', content: { 'text/event-stream': Type.String() } },
      },
    },
    head: false,
    handle: async ({ request, reply }) => {
      const caller = personOf(request)
      if (caller.isUnlocked) await auditOfOthers(deps, request, null)
      await openStream(deps, reply, caller, streams, () => closeAudit(deps, request, 'ok'))
      return SENT
    },
  })
  const endAll = (): void => streams.open.forEach((end) => end())
  // each client connects again, and reads what it may have missed
  deps.kv.onInterruption(endAll)
  return { route, endAll }
}

/** Errors: too_many_requests, not_signed_in. */
async function openStream(
  deps: Deps,
  reply: FastifyReply,
  caller: Caller,
  { open, eventOf, buildName }: Streams,
  opened: () => Promise<void>,
): Promise<void> {
  const ready = frameOf('ready', { build: await buildName() })
  const slot = await acquireSlot(deps.kv, STREAMS, caller.uid)
  const stream = eventStream(reply)
  const { end } = stream
  const updater = new StreamUpdater(deps, eventOf, stream, caller)
  const leave = (): void => {
    updater.stop()
    slot.release().catch(() => {})
  }
  try {
    await subscribe(deps, updater, caller)
    await opened()
  } catch (error) {
    leave()
    throw error
  }
  const over = new AbortController()
  void every(deps.clock, LIVE_BEAT_MS, over.signal, () => {
    stream.comment()
    check(deps, { stream, updater, slot }, caller).catch(end)
  })
  open.add(end)
  deps.measures.streams(open.size)
  stream.begin(() => {
    over.abort()
    leave()
    open.delete(end)
    deps.measures.streams(open.size)
  })
  stream.send(ready)
}

/** Errors: not_signed_in. */
async function subscribe({ sessions }: Deps, updater: StreamUpdater, caller: Caller): Promise<void> {
  await updater.start(caller.isOperator)
  // a session that ended between the access check and the subscription sent no hint here
  if (!(await sessions.isAlive(caller.hash))) throw new AppError('not_signed_in')
  if (caller.isOperator) await updater.readLock()
}

async function check(
  { sessions }: Deps,
  { stream, updater, slot }: { stream: EventStream; updater: StreamUpdater; slot: Slot },
  caller: Caller,
): Promise<void> {
  if (!(await sessions.isAlive(caller.hash))) stream.end()
  else if (caller.isOperator) await updater.readLock()
  if (stream.isOpen) await slot.renew()
}
