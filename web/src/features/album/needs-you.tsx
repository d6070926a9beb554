import { CircleAlert } from 'lucide-react'
import type { MouseEvent } from 'react'
import { isLate, threadAddress } from '@prelude/contracts'
import { useNotices } from '../../api/notices.ts'
import { usePendingSongs, waitingAmong } from '../../api/songs.ts'
import { messages } from '../../messages.ts'
import { Link } from '../../router.tsx'
import styles from './album.module.css'

/** What waits for the person, in one line. Each part leads to the oldest of its songs, and unread messages to these. */
export function NeedsYou() {
  const pending = usePendingSongs() ?? []
  const { notices = [] } = useNotices()
  // a song with unread messages has one notice, which is read with them
  const unread = notices.flatMap(({ kind, songId, readAt }) =>
    kind === 'message' && songId !== null && readAt === null ? [songId] : [],
  )
  const { title, ...texts } = messages.needsYou
  const parts = [
    {
      ids: pending
        .filter(isLate)
        .toReversed()
        .map(({ id }) => id),
      text: texts.late,
    },
    { ids: waitingAmong(pending).map(({ id }) => id), text: texts.waiting },
    { ids: unread.toReversed(), text: texts.messages, address: threadAddress },
  ].filter(({ ids }) => ids.length > 0)
  if (parts.length === 0) return null
  return (
    <section aria-label={title} className={`line gap-3 card pale ${styles.needs}`}>
      <CircleAlert aria-hidden size={18} />
      <strong>{title}</strong>
      {parts.map(({ ids: [first = '', ...others], text, address }) => (
        <Link
          key={text(1)}
          to={address?.(first) ?? `/songs/${first}`}
          onClickCapture={address ? undefined : (event) => focusItem(event, first)}
        >
          {text(others.length + 1)}
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
