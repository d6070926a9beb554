import type { FastifyReply } from 'fastify'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import type { RouteDeps } from '../route-deps.ts'
import { Listening } from '../live/listener.ts'
import { eventStream, frameOf } from '../live/stream.ts'
import { type Caller, personOf } from '../plugins/access.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'
import { takeSeat, type Seat } from '../seats.ts'
import { SENT } from '../sent.ts'

/** A comment keeps the connection open, and the session is checked again. */
const BEAT_MS = 20_000
const STREAMS = { name: 'stream', most: 10, leaseMs: 60_000 }

export interface OpenStreams {
  readonly route: PublicRoute
  /** Ends all, so that the server can close. */
  endAll(): void
}

/** Server-sent events: `ready` when nothing can be missed any more, then what changes for this person. */
export function live(deps: RouteDeps): OpenStreams {
  const open = new Set<() => void>()
  const route = publicRoute({
    method: 'GET',
    url: '/api/live',
    access: 'person',
    area: 'Live updates',
    summary:
      'Server-sent events: ready, song, credits, payment; for the unlocked operator operator-song, operator-transfer, operator-debt',
    refusals: ['not_signed_in', 'too_many_requests'],
    document: {
      description:
        '`ready` comes when the subscription is active: read everything then, and again after every reconnect. `song` and `operator-song` carry a whole Song, `credits` a Credits, `payment` a whole Payment, `operator-debt` who owes how much now. What has a lower `revision` or `version` than what is known is old. At most 10 streams a person.',
      answers: {
        200: { description: 'The stream; it does not end.', content: { 'text/event-stream': Type.String() } },
      },
    },
    head: false,
    handle: async ({ request, reply }) => {
      const caller = personOf(request)
      const seat = await takeSeat(deps.kv, STREAMS, caller.uid)
      const end = await begin(deps, reply, caller, seat)
      open.add(end)
      deps.measures.streams(open.size)
      reply.raw.once('close', () => {
        open.delete(end)
        deps.measures.streams(open.size)
      })
      return SENT
    },
  })
  return { route, endAll: () => open.forEach((end) => end()) }
}

/** Answers a function that ends the stream. */
async function begin(deps: RouteDeps, reply: FastifyReply, caller: Caller, seat: Seat): Promise<() => void> {
  const response = reply.raw
  const stream = eventStream(response)
  const listening = new Listening(deps, stream, caller)
  let beat: NodeJS.Timeout | undefined
  const leave = (): void => {
    clearInterval(beat)
    listening.stop()
    seat.leave().catch(() => {})
  }
  try {
    await listening.start(caller.isOperator)
    // a session that ended between the access check and the subscription sent no hint here
    if (!(await deps.sessions.isAlive(caller.hash))) throw new AppError('not_signed_in')
    if (caller.isOperator) await listening.readLock()
  } catch (error) {
    leave()
    throw error
  }
  void reply.hijack()
  response.on('close', leave)
  response.on('error', () => {})
  // it ends with its connection: said in chunks, an event would be four pieces to write
  response.removeHeader('transfer-encoding')
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    // an ended stream must not leave a connection that keeps the server from closing
    connection: 'close',
  })
  stream.send(frameOf('ready', {}))
  beat = setInterval(() => {
    stream.comment()
    look().catch(() => stream.end())
  }, BEAT_MS)
  const look = async (): Promise<void> => {
    if (!(await deps.sessions.isAlive(caller.hash))) stream.end()
    else if (caller.isOperator) await listening.readLock()
    await seat.renew()
  }
  if (response.destroyed) leave()
  return () => stream.end()
}
