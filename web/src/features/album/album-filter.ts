import { useEffect, useState } from 'react'
import { FILTER_KEY } from '../../api/session.ts'
import type { SongFilter } from '../../api/songs.ts'
import { useLocation } from '../../router.tsx'
import { lastValues, sessionStore } from '../../browser/storage.ts'

const EVERYTHING: SongFilter = { q: '', show: '', sort: 'newest' }

/**
 * What the album shows, kept with the entry of the history as its scroll position is: the Back button and a reload show the same
 * list, a link to the album shows all of it. The key ends with the uid, so that signing out removes it.
 */
export function useKeptFilter(uid: string) {
  const { key } = useLocation()
  const [kept] = useState(() => lastValues<SongFilter>(sessionStore, `${FILTER_KEY}:${uid}`))
  const [filter, setFilter] = useState(() => ({ ...EVERYTHING, ...kept.get(key) }))
  useEffect(() => {
    const isWhole = JSON.stringify(filter) === JSON.stringify(EVERYTHING)
    kept.set(key, isWhole ? undefined : filter)
  }, [kept, key, filter])
  return [filter, setFilter] as const
}
