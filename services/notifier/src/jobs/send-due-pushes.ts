import { threadAddress } from '@prelude/contracts'
import { type Clock, type Database, type Job, type Logger, once } from '@prelude/platform'
import { nextTry } from '../domain/back-off.ts'
import type { MailMeasures } from '../measures.ts'
import type { PushSender } from '../push-sender.ts'
import {
  claimPush,
  type ClaimedPush,
  delayPush,
  dropPush,
  dropSubscription,
  releasePushes,
  type VapidKeys,
} from '../store/push.ts'

const EVERY_MS = 1_000
const AT_ONCE = 8
/** Of one person, who may have named slow push services. */
const AT_ONCE_OF_ONE = 2

interface Sending {
  readonly db: Database
  readonly clock: Clock
  /** See createNotifier. */
  readonly instance: string
  readonly logger: Logger
  readonly keys: () => Promise<VapidKeys>
  readonly send: PushSender
  /** The address of the web app. */
  readonly publicUrl: string
  readonly pushed: MailMeasures['pushed']
}

/** Sends due pushes, a few at a time, until none is due: as one ends, the next begins. */
export function sendDuePushes(sending: Sending): Job {
  const { db, clock, instance } = sending
  const release = once(() => releasePushes(db, instance, clock.now()))
  return {
    name: 'send-due-pushes',
    everyMs: EVERY_MS,
    run: async (signal) => {
      await release()
      /** With their people. None of these promises rejects. */
      const inFlight = new Map<Promise<void>, string>()
      let failure: Error | null = null
      while (!signal.aborted && failure === null) {
        // before the claim: one that ends meanwhile makes room that the claim did not see
        const sendings = [...inFlight.keys()]
        const push =
          sendings.length < AT_ONCE &&
          (await claimPush(db, { instance, except: busyOf(inFlight.values()), now: clock.now() }))
        if (push) {
          const sent = sendPush(sending, push, await sending.keys())
            .catch((error: Error) => void (failure = error))
            .finally(() => inFlight.delete(sent))
          inFlight.set(sent, push.uid)
        } else if (sendings.length === 0) break
        else {
          const over = new AbortController()
          await Promise.race([...sendings, clock.wait(EVERY_MS, AbortSignal.any([signal, over.signal]))])
          over.abort()
        }
      }
      await Promise.all(inFlight.keys())
      if (failure) throw failure
    },
  }
}

/** The people who have as many in flight as one may. */
const busyOf = (uids: Iterable<string>): string[] =>
  [...Map.groupBy(uids, (uid) => uid)].flatMap(([uid, all]) => (all.length < AT_ONCE_OF_ONE ? [] : [uid]))

/**
 * A duplicate is possible only when this process or its database fails between sending and dropping: the push service
 * replaces a message by a later one of its topic, and the browser a notification by one of its song.
 */
async function sendPush(
  { db, clock, logger, send, publicUrl, pushed }: Sending,
  push: ClaimedPush,
  keys: VapidKeys,
): Promise<void> {
  const { songId, attempts } = push
  const message = { payload: payloadOf(push, publicUrl), topic: topicOf(songId) }
  const { outcome, reason, retryAfterMs = 0 } = await send(push, message, keys)
  const facts = { subscription: push.id, attempts, reason }
  if (outcome === 'sent') {
    pushed('sent')
    logger.info(facts, 'push sent')
    return dropPush(db, push)
  }
  if (outcome === 'gone') {
    pushed('gone')
    logger.info(facts, 'push subscription has ended')
    return dropSubscription(db, push)
  }
  const now = clock.now()
  const unauthorized = outcome === 'unauthorized'
  const next = outcome === 'refused' ? null : nextTry({ attempts, giveUpAt: push.giveUpAt, now })
  pushed(unauthorized ? outcome : next === null ? 'failed' : 'retried')
  if (next === null) {
    logger.warn(facts, 'push given up')
    return dropPush(db, push)
  }
  logger.info(facts, 'push not sent, will be tried again')
  const nextAt = Math.min(Math.max(next, now + retryAfterMs), push.giveUpAt)
  return delayPush(db, push, { nextAt, unauthorized })
}

const TITLES = { ready: 'Your song is ready', message: 'A new message about your song' } as const

/** The web app's worker shows its own title, in the language that was chosen there. */
const payloadOf = ({ kind, songId }: ClaimedPush, publicUrl: string) => ({
  kind,
  songId,
  title: TITLES[kind],
  url: new URL(kind === 'message' ? threadAddress(songId) : `/songs/${songId}`, publicUrl).href,
})

/** At most 32 characters of base64url, as RFC 8030 wants it. */
const topicOf = (songId: string): string => songId.replaceAll('-', '').slice(0, 32)
