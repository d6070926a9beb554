import { createHash, randomBytes } from 'node:crypto'
import { AppError, type Clock, type Database, newId } from '@prelude/platform'
import type { Session } from '../api/caller.ts'
import { personChannel, publishHint } from '../api/hints.ts'
import {
  deleteOtherSessions,
  deleteSessions,
  excessSessions,
  insertSession,
  listSessions,
  renameUnlocked,
} from './store/session.ts'
import type { KeyValue } from '../api/key-value/port.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
export const SESSION_MAX_MS = 30 * DAY_MS
const IDLE_MS = 7 * DAY_MS
export const UNLOCK_MAX_MS = 12 * 60 * MINUTE_MS
const UNLOCK_IDLE_MS = 30 * MINUTE_MS
const TOUCH_EVERY_MS = MINUTE_MS

/** Of a session, in the key-value store; the first is written once. */
const ENTRIES = ['session', 'seen', 'unlock', 'unlock-seen'] as const

/** A session that replaces another one. */
export interface Successor {
  /** For the cookie. */
  readonly id: string
  /** Ends the streams of the session before. Call it after the response with the new cookie: streams that end earlier connect again with the old one. */
  endStreams(): Promise<void>
}

/** Sessions of 0.1.0 have one time alone. */
type Kept = Omit<Session, 'hash' | 'authenticatedAt'> & Partial<Pick<Session, 'authenticatedAt'>>

export type Sessions = ReturnType<typeof createSessions>

/**
 * A session is two entries: `session:` is written once and lives 30 days, `seen:` is renewed by use and lives 7 idle days.
 * Renewing never writes the first, so that a request that overlaps a sign-out cannot bring a session back. An unlock is two
 * entries of the same kind. The session's row names its owner. The entries end before the row goes: a session without a row
 * could not be found again.
 */
export function createSessions(kv: KeyValue, db: Database, clock: Clock) {
  const read = async (hash: string): Promise<(Omit<Session, 'hash'> & { seenAt: number }) | null> => {
    const [kept, seen] = await Promise.all([kv.get(`session:${hash}`), kv.get(`seen:${hash}`)])
    if (kept === null || seen === null) return null
    const session = JSON.parse(kept) as Kept
    return { authenticatedAt: session.signedInAt, ...session, seenAt: Number(seen) }
  }
  const write = async (hash: string, session: Kept): Promise<void> => {
    const leftMs = session.signedInAt + SESSION_MAX_MS - clock.now()
    await kv.set(`seen:${hash}`, String(clock.now()), Math.min(IDLE_MS, leftMs))
    await kv.set(`session:${hash}`, JSON.stringify(session), leftMs)
  }
  /** Answers what ends its streams. */
  const remove = async (hash: string): Promise<() => Promise<void>> => {
    const [kept] = await Promise.all(ENTRIES.map((name) => kv.getAndDelete(`${name}:${hash}`)))
    if (kept === null || kept === undefined) return async () => {}
    const { uid } = JSON.parse(kept) as Kept
    return () => publishHint(kv, personChannel(uid), { kind: 'signed-out', id: hash })
  }
  const endAll = async (hashes: readonly string[]): Promise<void> => {
    const streams = await Promise.all(hashes.map(remove))
    await Promise.all(streams.map((end) => end()))
  }
  /** The entries end before the rows go. Those that were unlocked meanwhile end under their new hashes. */
  const endRows = async (hashes: readonly string[]): Promise<void> => {
    await endAll(hashes)
    await deleteSessions(db, hashes)
    const now = await Promise.all(hashes.map((hash) => kv.getAndDelete(`renamed:${hash}`)))
    const renamed = now.filter((hash) => hash !== null)
    if (renamed.length > 0) await endRows(renamed)
  }
  /**
   * The entries come first: code that deletes the row afterwards finds them. Without a row, because the account or the session
   * has ended meanwhile, they are taken back.
   */
  const begin = async (
    session: Kept,
    makeRow: (hash: string) => Promise<boolean>,
  ): Promise<string | null> => {
    const id = randomBytes(32).toString('base64url')
    const hash = hashOf(id)
    await write(hash, session)
    const isMade = await makeRow(hash).catch(async (error: unknown) => {
      await remove(hash)
      throw error
    })
    if (isMade) return id
    await remove(hash)
    return null
  }

  return {
    /** Ends the session that the browser had before, and the oldest of more than 50. Rejects when the account was closed meanwhile. */
    start: async (
      person: Pick<Session, 'uid' | 'authenticatedAt'>,
      browser: string,
      before: string | undefined,
    ): Promise<Successor> => {
      const createdAt = clock.now()
      const row = { id: newId(), uid: person.uid, createdAt, expiresAt: createdAt + SESSION_MAX_MS, browser }
      const id = await begin({ ...person, signedInAt: createdAt }, (hash) =>
        insertSession(db, { ...row, hash }),
      )
      if (id === null) throw new Error('the account was closed meanwhile')
      const endStreams = before === undefined ? async () => {} : await remove(hashOf(before))
      if (before !== undefined) await deleteSessions(db, [hashOf(before)])
      const excess = await excessSessions(db, person.uid)
      if (excess.length > 0) await endRows(excess)
      return { id, endStreams }
    },
    read: async (id: string): Promise<Session | null> => {
      const hash = hashOf(id)
      const found = await read(hash)
      if (!found) return null
      const { seenAt, ...session } = found
      if (clock.now() - seenAt > TOUCH_EVERY_MS) await kv.set(`seen:${hash}`, String(clock.now()), IDLE_MS)
      return { ...session, hash }
    },
    /** Without renewing it. */
    isAlive: async (hash: string) => (await read(hash)) !== null,
    list: async ({ uid, hash }: Session) => {
      const rows = await listSessions(db, uid)
      const states = await Promise.all(rows.map((row) => read(row.hash)))
      return rows.flatMap(({ hash: own, ...row }, i) => {
        const state = states[i]
        const current = own === hash
        return state ? [{ ...row, lastSeenAt: current ? clock.now() : state.seenAt, current }] : []
      })
    },
    /** Also its unlock and its streams. */
    end: (id: string) => endRows([hashOf(id)]),
    /** One of this person's; false when there is no such one. */
    endOne: async (uid: string, id: string) => {
      const found = (await listSessions(db, uid)).find((row) => row.id === id)
      if (!found) return false
      await endRows([found.hash])
      return true
    },
    /** All of a person but that with this hash. */
    endOthers: async ({ uid, hash }: { uid: string; hash: string | null }) => {
      const others = (await listSessions(db, uid)).map((row) => row.hash).filter((one) => one !== hash)
      await endAll(others)
      // those that began or were unlocked meanwhile
      await endAll(await deleteOtherSessions(db, uid, hash))
    },
    /** The sessions with these hashes. */
    endAll,
    /** Unlocks the session under a new id: the old one does not carry the unlock. Errors: not_signed_in when it ended meanwhile. */
    unlock: async ({ hash: from, ...session }: Session): Promise<Successor> => {
      const id = await begin(session, async (hash) => {
        await kv.set(`unlock-seen:${hash}`, String(clock.now()), UNLOCK_IDLE_MS)
        await kv.set(`unlock:${hash}`, String(clock.now()), UNLOCK_MAX_MS)
        // a sign-out may still name the old one, while the browser waits for the cookie of the new one
        await kv.set(`renamed:${from}`, hash, MINUTE_MS)
        return db.transaction((tx) => renameUnlocked(tx, from, hash))
      })
      if (id === null) throw new AppError('not_signed_in')
      return { id, endStreams: await remove(from) }
    },
    lock: async ({ uid, hash }: Session) => {
      await kv.getAndDelete(`unlock:${hash}`)
      await publishHint(kv, personChannel(uid), { kind: 'locked', id: hash })
    },
    /** `renew`: the operator is at work, so that the idle time begins again. */
    isUnlocked: async ({ hash }: Pick<Session, 'hash'>, renew = false) => {
      const [unlocked, seen] = await Promise.all([kv.get(`unlock:${hash}`), kv.get(`unlock-seen:${hash}`)])
      if (unlocked === null || seen === null) return false
      if (renew && clock.now() - Number(seen) > TOUCH_EVERY_MS)
        await kv.set(`unlock-seen:${hash}`, String(clock.now()), UNLOCK_IDLE_MS)
      return true
    },
  }
}

const hashOf = (id: string): string => createHash('sha256').update(id).digest('base64url')
