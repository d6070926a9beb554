import { type FormEvent, useEffect, useRef, useState } from 'react'
import { MAX_TITLE, type Song } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { isComposing } from '../../browser/composing.ts'
import { FormError } from '../../ui/form-error.tsx'
import { lengthOf } from '../../text/truncate.ts'
import styles from './song-title.module.css'
import { useSongAction } from './use-song-action.ts'

/** Changes the title of a song: Enter saves, Escape leaves. */
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
      className={`row ${styles.form}`}
      noValidate
      onSubmit={(event) => void save(event)}
      onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && onDone()}
    >
      <input
        ref={field}
        dir="auto"
        className={`card ${styles.field}`}
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
