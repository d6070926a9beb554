import { useEffect, useState } from 'react'
import { FILTER_KEY } from '../../api/session.ts'
import type { SongFilter } from '../../api/songs.ts'
import { useLocation } from '../../router.tsx'
import { sessionStore } from '../../browser/storage.ts'

const EVERYTHING: SongFilter = { q: '', show: '', sort: 'newest' }

function load(key: string): SongFilter {
  try {
    return { ...EVERYTHING, ...(JSON.parse(sessionStore.get(key) ?? '{}') as Partial<SongFilter>) }
  } catch {
    return EVERYTHING
  }
}

/**
 * What the album shows, kept with the entry of the history as its scroll position is: the Back button and a reload show the same
 * list, a link to the album shows all of it. The key ends with the uid, so that signing out removes it.
 */
export function useKeptFilter(uid: string) {
  const key = `${FILTER_KEY}/${useLocation().key}:${uid}`
  const [filter, setFilter] = useState(() => load(key))
  useEffect(() => {
    const text = JSON.stringify(filter)
    if (text === JSON.stringify(EVERYTHING)) sessionStore.remove(key)
    else sessionStore.set(key, text)
  }, [key, filter])
  return [filter, setFilter] as const
}
