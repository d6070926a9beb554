import { useState } from 'react'
import type { Song } from '@prelude/contracts'
import { keepWords, sessionStore } from '../../browser/storage.ts'

/**
 * What an owner has written about a song and not sent. It survives a reload, a link and the end of a session, in this tab; no
 * other person of this browser sees it.
 */

type Kind = 'changes' | 'words'
type Subject = Pick<Song, 'id' | 'uid'>

/** Ends with the uid, so that signing out removes it. */
const keyOf = (kind: Kind, { id, uid }: Subject): string => `prelude-${kind}/${id}:${uid}`

/** `base` has the fields that an older build has not stored. */
function load<T extends object>(key: string, base: T): T | null {
  try {
    const kept = JSON.parse(sessionStore.get(key) ?? 'null') as Partial<T> | null
    return kept && { ...base, ...kept }
  } catch {
    return null
  }
}

/** The draft and a function that replaces it, also once its form is gone; null is none. */
export function useSongDraft<T extends object>(kind: Kind, song: Subject, base: T) {
  const key = keyOf(kind, song)
  const [draft, setDraft] = useState(() => load(key, base))
  const change = (next: T | null): void => {
    setDraft(next)
    keepWords(key, next && JSON.stringify(next))
  }
  return [draft, change] as const
}

export const hasSongDraft = (kind: Kind, song: Subject): boolean =>
  sessionStore.get(keyOf(kind, song)) !== null

export const removeSongDraft = (kind: Kind, song: Subject): void => sessionStore.remove(keyOf(kind, song))
