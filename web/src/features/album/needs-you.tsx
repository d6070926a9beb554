import { CircleAlert } from 'lucide-react'
import type { MouseEvent } from 'react'
import { usePendingSongs, waitingAmong } from '../../api/songs.ts'
import { messages } from '../../messages.ts'
import { Link } from '../../router.tsx'
import styles from './album.module.css'
import { isLate } from './order.ts'

/** What waits for the person, in one line. Each part leads to the oldest of its songs. */
export function NeedsYou() {
  const pending = usePendingSongs() ?? []
  const { title, ...texts } = messages.needsYou
  const parts = [
    { songs: pending.filter(isLate).toReversed(), text: texts.late },
    { songs: waitingAmong(pending), text: texts.waiting },
  ].filter(({ songs }) => songs.length > 0)
  if (parts.length === 0) return null
  return (
    <section aria-label={title} className={styles.needs}>
      <CircleAlert aria-hidden size={18} />
      <strong>{title}</strong>
      {parts.map(({ songs, text }) => (
        <Link
          key={text(1)}
          to={`/songs/${songs[0]?.id}`}
          onClickCapture={(event) => focusItem(event, songs[0]?.id ?? '')}
        >
          {text(songs.length)}
        </Link>
      ))}
    </section>
  )
}

/** A song that is not in the list, which may be filtered or not loaded as far, is shown on its page. */
function focusItem(event: MouseEvent, id: string): void {
  const item = document.querySelector(`[data-song="${id}"]`)
  if (!item || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  event.stopPropagation()
  item.scrollIntoView({ block: 'center' })
  item.querySelector<HTMLElement>('a')?.focus({ preventScroll: true })
}
