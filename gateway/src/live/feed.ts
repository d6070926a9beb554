import {
  CreditsAdded,
  CreditsCharged,
  CreditsDeclined,
  CreditsRefunded,
  CreditsTaken,
  DebtChanged,
  DraftChanged,
  type EventData,
  type EventEnvelope,
  NoticeAdded,
  PaymentUpdated,
  SongRequested,
  SongUpdated,
  TransferOpened,
  TransferSettled,
} from '@prelude/contracts'
import { type Batch, type EventBus, isEvent, type Logger, type Subscription } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { FIRST_REVISION, type Hint, OPERATOR_CHANNEL, personChannel, publishHint } from '../api/hints.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type Deps = {
  bus: EventBus
  kv: KeyValue
  logger: Logger
  measures: { watchFeed: (subscription: Subscription) => void }
}

const RETRY_MS = 2_000
const CREDITS = new Set<string>(
  [CreditsAdded, CreditsCharged, CreditsDeclined, CreditsRefunded, CreditsTaken, DebtChanged].map(
    ({ type }) => type,
  ),
)

interface AddressedHint {
  readonly channel: string
  readonly hint: Hint
}

/** The hints that an event gives rise to, and the channels they go to; none for most events. */
function hintsOf(event: EventEnvelope): AddressedHint[] {
  const data = event.data as Record<string, string & number>
  const uid = String(data['uid'])
  const toPerson = (hint: Hint): AddressedHint => ({ channel: personChannel(uid), hint })
  const toOperator = (hint: Hint): AddressedHint => ({ channel: OPERATOR_CHANNEL, hint })
  if (event.type === SongRequested.type || event.type === SongUpdated.type) {
    const revision = event.type === SongRequested.type ? FIRST_REVISION : Number(data['revision'])
    const song = { id: String(data['songId']), revision }
    return [toPerson({ kind: 'song', ...song }), toOperator({ kind: 'operator-song', ...song })]
  }
  if (CREDITS.has(event.type)) {
    const account = { id: uid, revision: Number(data['version']) }
    const credits = toPerson({ kind: 'credits', ...account, balance: Number(data['balance']) })
    return event.type === DebtChanged.type
      ? [credits, toOperator({ kind: 'operator-debt', ...account })]
      : [credits]
  }
  if (event.type === PaymentUpdated.type)
    return [toPerson({ kind: 'payment', id: String(data['paymentId']), revision: Number(data['revision']) })]
  if (event.type === NoticeAdded.type) {
    const { noticeId: id, kind, songId, at, readAt = null } = event.data as EventData<typeof NoticeAdded>
    return [toPerson({ kind: 'notice', id, notice: { id, kind, songId, at, readAt } })]
  }
  if (event.type === TransferOpened.type || event.type === TransferSettled.type)
    return [toOperator({ kind: 'operator-transfer', id: String(data['transferId']) })]
  if (event.type === DraftChanged.type)
    return [
      toOperator({ kind: 'operator-draft', id: String(data['draftId']), songId: String(data['songId']) }),
    ]
  return []
}

/** The feed runs while the app does; open streams end first, or the server would never close. */
export function runFeed(app: FastifyInstance, deps: Deps, endStreams: () => void): void {
  let feed: ReturnType<typeof startFeed> | undefined
  app.addHook('onReady', async () => {
    feed = startFeed(deps)
  })
  app.addHook('preClose', async () => {
    endStreams()
    await feed?.stop()
  })
}

/**
 * Turns events into hints for the instances that hold the person's streams. No cursor: a repeated or late hint does no
 * harm, since the newest version wins. While the bus is down the gateway serves on, and this tries again.
 */
function startFeed({ bus, kv, logger, measures }: Deps): {
  stop(): Promise<void>
} {
  let subscription: Subscription | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  // bytes that are no event become dead letters of the services that consume the topic
  const receive = async ({ messages }: Batch): Promise<void> => {
    const hints = messages.filter(isEvent).flatMap(hintsOf)
    // of several changes of an object the newest is read
    const newest = new Map(hints.map((one) => [`${one.channel} ${one.hint.kind} ${one.hint.id}`, one]))
    await Promise.all([...newest.values()].map(({ channel, hint }) => publishHint(kv, channel, hint)))
  }
  const subscribe = async (): Promise<void> => {
    try {
      const topics = [SongUpdated, CreditsAdded, PaymentUpdated, NoticeAdded, DraftChanged].map(
        ({ topic }) => topic,
      )
      const subscribed = await bus.subscribe({ group: 'gateway', topics, from: 'newest', receive })
      if (stopped) await subscribed.stop()
      else {
        subscription = subscribed
        measures.watchFeed(subscribed)
      }
    } catch (error) {
      logger.warn({ err: error }, 'live updates wait for the bus')
      if (!stopped) timer = setTimeout(() => void subscribe(), RETRY_MS)
    }
  }
  const starting = subscribe()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await starting
      await subscription?.stop()
    },
  }
}
