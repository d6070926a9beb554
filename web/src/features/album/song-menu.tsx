import { Ellipsis } from 'lucide-react'
import type { RefObject } from 'react'
import type { Song } from '@prelude/contracts'
import { saveAskedAgain } from '../../state/request-draft.ts'
import { messages } from '../../messages.ts'
import { navigate } from '../../router.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Menu, type MenuEntry } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { isClosed } from './order.ts'
import { useSongAction } from './use-song-action.ts'

/** Fills the form with the song's words and shows it. */
export function askAgain(song: Song): void {
  saveAskedAgain(song)
  // each time a new form
  navigate('/', { filled: crypto.randomUUID() })
  toast.status(messages.library.askedAgain)
}

/**
 * The button "More" of a song: after the given entries those that every page has, as far as its state allows them. A closed
 * song has a button "Ask again" of its own.
 */
export function SongMenu(props: {
  song: Song
  entries?: readonly MenuEntry[]
  /** One of these is still being done. */
  busy?: boolean
  ref?: RefObject<HTMLButtonElement | null>
}) {
  const { song, entries = [], ref } = props
  const { busy, mark } = useSongAction(song.id)
  const { library } = messages
  const archive = async (archived: boolean): Promise<void> => {
    if (!(await mark({ archived }))) return
    toast.status(archived ? library.archivedDone : library.restoredDone, {
      operation: 'archive',
      undo: () => void archive(!archived),
    })
  }
  const isOver = song.status === 'ready' || isClosed(song)
  const all: readonly MenuEntry[] = [
    ...entries,
    ...(isClosed(song) ? [] : [{ label: library.askAgain, onSelect: () => askAgain(song) }]),
    ...(isOver || song.archived
      ? [
          {
            label: song.archived ? library.restore : library.archive,
            onSelect: () => void archive(!song.archived),
          },
        ]
      : []),
  ]
  return (
    <Menu
      ref={ref}
      label={<Ellipsis aria-hidden size={20} />}
      name={messages.album.more}
      isIcon
      busy={busy || props.busy === true}
      triggerClass={buttonClass('icon')}
      entries={all}
    />
  )
}
