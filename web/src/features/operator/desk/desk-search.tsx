import { useEffect, useEffectEvent, useState } from 'react'
import { messages } from '../../../messages.ts'
import { navigate } from '../../../router.tsx'
import { SEARCH_DELAY_MS, useDebounced } from '../../../state/debounced.ts'
import { deskAddress, useDeskAddress } from './desk-address.ts'
import styles from './desk.module.css'

/** Searches the songs of all tabs by title, style, lyrics and person. */
export function DeskSearch() {
  const shown = useDeskAddress()
  const [typed, setTyped] = useState(shown.q)
  const q = useDebounced(typed.trim(), SEARCH_DELAY_MS)
  const search = useEffectEvent((phrase: string) => {
    if (phrase !== shown.q) navigate(deskAddress({ ...shown, q: phrase }), null, { replace: true })
  })
  useEffect(() => search(q), [q])
  return (
    <input
      type="search"
      className={`card ${styles.search}`}
      aria-label={messages.desk.search}
      placeholder={messages.desk.search}
      aria-keyshortcuts="/"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
