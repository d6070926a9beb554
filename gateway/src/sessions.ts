import { createHash, randomBytes } from 'node:crypto'
import type { KeyValue, Query } from '@prelude/platform'
import { personChannel, publishHint } from './live/hints.ts'
import { noteSession } from './store/sessions-of.ts'

const DAY_MS = 24 * 60 * 60_000
export const SESSION_MAX_MS = 30 * DAY_MS
const IDLE_MS = 7 * DAY_MS
const TOUCH_EVERY_MS = 60_000
const UNLOCK_MS = 12 * 60 * 60_000

export interface Session {
  readonly uid: string
  /** Names the session inside; the id in the cookie is kept nowhere. */
  readonly hash: string
}

/**
 * A session is two entries: `session:` is written once and lives 30 days, `seen:` is renewed by use and lives 7 idle days.
 * Renewing never writes the first, so that a request that overlaps a sign-out cannot bring a session back.
 */
export interface Sessions {
  /** Answers the id for the cookie. Rejects when the account was closed meanwhile. */
  start(uid: string): Promise<string>
  read(id: string): Promise<Session | null>
  /** Without renewing it. */
  isAlive(hash: string): Promise<boolean>
  /** Also its unlock and its streams. */
  end(id: string): Promise<void>
  /** The same for those that bear these hashes. */
  endAll(hashes: readonly string[]): Promise<void>
  unlock(session: Session): Promise<void>
  lock(session: Session): Promise<void>
  isUnlocked(session: Session): Promise<boolean>
}

export function createSessions(kv: KeyValue, db: Query): Sessions {
  const read = async (hash: string): Promise<{ uid: string; seenAt: number } | null> => {
    const [uid, seen] = await Promise.all([kv.get(`session:${hash}`), kv.get(`seen:${hash}`)])
    return uid === null || seen === null ? null : { uid, seenAt: Number(seen) }
  }
  const end = async (hash: string): Promise<void> => {
    const uid = await kv.take(`session:${hash}`)
    await Promise.all([kv.take(`seen:${hash}`), kv.take(`unlock:${hash}`)])
    if (uid !== null) await publishHint(kv, personChannel(uid), { kind: 'signed-out', id: hash })
  }
  return {
    start: async (uid) => {
      const id = randomBytes(32).toString('base64url')
      const hash = hashOf(id)
      if (!(await noteSession(db, { hash, uid, expiresAt: Date.now() + SESSION_MAX_MS })))
        throw new Error('the account was closed meanwhile')
      await kv.set(`seen:${hash}`, String(Date.now()), IDLE_MS)
      await kv.set(`session:${hash}`, uid, SESSION_MAX_MS)
      return id
    },
    read: async (id) => {
      const hash = hashOf(id)
      const found = await read(hash)
      if (!found) return null
      if (Date.now() - found.seenAt > TOUCH_EVERY_MS)
        await kv.set(`seen:${hash}`, String(Date.now()), IDLE_MS)
      return { uid: found.uid, hash }
    },
    isAlive: async (hash) => (await read(hash)) !== null,
    end: (id) => end(hashOf(id)),
    endAll: async (hashes) => {
      for (const hash of hashes) await end(hash)
    },
    unlock: async ({ uid, hash }) => {
      await kv.set(`unlock:${hash}`, String(Date.now()), UNLOCK_MS)
      await publishHint(kv, personChannel(uid), { kind: 'unlocked', id: hash })
    },
    lock: async ({ uid, hash }) => {
      await kv.take(`unlock:${hash}`)
      await publishHint(kv, personChannel(uid), { kind: 'locked', id: hash })
    },
    isUnlocked: async ({ hash }) => (await kv.get(`unlock:${hash}`)) !== null,
  }
}

const hashOf = (id: string): string => createHash('sha256').update(id).digest('base64url')
