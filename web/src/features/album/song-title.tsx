import { Pencil, Star } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { MAX_TITLE, type Song } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { isComposing } from '../../ui/composing.ts'
import { FormError } from '../../ui/form-error.tsx'
import { lengthOf } from '../../text/truncate.ts'
import styles from './song-title.module.css'
import { useSongAction } from './use-song-action.ts'

/** What shows the title, with a button that opens a form to change it, and the mark of a favourite. */
export function SongTitle({ song, children }: { song: Song; children: ReactNode }) {
  const [isRenaming, setRenaming] = useState(false)
  const rename = useRef<HTMLButtonElement>(null)
  const close = (): void => {
    flushSync(() => setRenaming(false))
    rename.current?.focus()
  }
  if (isRenaming)
    return (
      <>
        {children}
        <TitleForm song={song} onDone={close} />
      </>
    )
  return (
    <>
      {children}
      <IconButton ref={rename} label={messages.library.rename} onClick={() => setRenaming(true)}>
        <Pencil aria-hidden size={15} />
      </IconButton>
      <Favourite song={song} />
    </>
  )
}

/** Enter saves, Escape leaves. */
export function TitleForm({ song, onDone }: { song: Song; onDone: () => void }) {
  const [title, setTitle] = useState(song.title ?? '')
  const { busy, error, rename } = useSongAction(song.id)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // in some browsers a selection does not move the focus
    field.current?.focus()
    field.current?.select()
  }, [])
  const isTooLong = lengthOf(title.trim()) > MAX_TITLE
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (!isTooLong && (await rename(title.trim() || null))) onDone()
  }
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => void save(event)}
      onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && onDone()}
    >
      <input
        ref={field}
        dir="auto"
        className={styles.field}
        aria-label={messages.library.title}
        aria-invalid={isTooLong || undefined}
        placeholder={song.style}
        readOnly={busy}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <Button small type="submit" busy={busy}>
        {messages.song.saveWords}
      </Button>
      <Button small variant="quiet" onClick={onDone}>
        {messages.song.leave}
      </Button>
      {isTooLong && <FormError text={messages.brief.tooLong(MAX_TITLE)} />}
      {error && <FormError key={error.at} text={error.text} />}
    </form>
  )
}

function Favourite({ song }: { song: Song }) {
  const { busy, mark } = useSongAction(song.id)
  return (
    <IconButton
      label={messages.library.favourite}
      aria-pressed={song.favourite}
      aria-busy={busy}
      onClick={() => void mark({ favourite: !song.favourite })}
    >
      <Star aria-hidden size={16} fill={song.favourite ? 'currentColor' : 'none'} />
    </IconButton>
  )
}
