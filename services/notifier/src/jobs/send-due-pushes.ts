import { type Clock, type Database, type Job, type Logger, once } from '@prelude/platform'
import { nextTry } from '../domain/back-off.ts'
import type { MailMeasures } from '../measures.ts'
import type { PushSender } from '../push-sender.ts'
import {
  claimPushes,
  type ClaimedPush,
  delayPush,
  dropPush,
  dropSubscription,
  releasePushes,
  type VapidKeys,
} from '../store/push.ts'

const AT_ONCE = 8

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

/** Sends due pushes, a few at a time, until none is due. */
export function sendDuePushes(sending: Sending): Job {
  const { db, clock, instance } = sending
  const release = once(() => releasePushes(db, instance, clock.now()))
  return {
    name: 'send-due-pushes',
    everyMs: 1_000,
    run: async (signal) => {
      await release()
      while (!signal.aborted) {
        const pushes = await claimPushes(db, { instance, limit: AT_ONCE, now: clock.now() })
        if (pushes.length === 0) return
        const keys = await sending.keys()
        await Promise.all(pushes.map((push) => sendPush(sending, push, keys)))
      }
    },
  }
}

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
  const message = { payload: readyPayload(songId, publicUrl), topic: topicOf(songId) }
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
  const next = outcome === 'later' ? nextTry({ attempts, giveUpAt: push.giveUpAt, now }) : null
  pushed(next === null ? 'failed' : 'retried')
  if (next === null) {
    logger.warn(facts, 'push given up')
    return dropPush(db, push)
  }
  logger.info(facts, 'push not sent, will be tried again')
  return delayPush(db, push, Math.min(Math.max(next, now + retryAfterMs), push.giveUpAt))
}

/** The web app's worker shows its own title, in the language that was chosen there. */
const readyPayload = (songId: string, publicUrl: string) => ({
  kind: 'ready',
  songId,
  title: 'Your song is ready',
  url: new URL(`/songs/${songId}`, publicUrl).href,
})

/** At most 32 characters of base64url, as RFC 8030 wants it. */
const topicOf = (songId: string): string => songId.replaceAll('-', '').slice(0, 32)
