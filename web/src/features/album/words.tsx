import { type FormEvent, type RefObject, useRef } from 'react'
import { flushSync } from 'react-dom'
import { isBlank, type Song, withLineFeeds } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { BriefList } from '../../ui/brief-list.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { toast } from '../../ui/toast.tsx'
import { canCorrect } from './order.ts'
import { useSongDraft } from './song-draft.ts'
import { useSongAction } from './use-song-action.ts'
import styles from './words.module.css'

/** What was typed; a text that was not touched is as it is elsewhere by now. */
type Typed = Partial<Pick<Song, 'lyrics' | 'style'>>

/** Style and lyrics of a song, whole; they can be corrected until somebody starts on them. */
export function Words({ song }: { song: Song }) {
  const [typed, setTyped] = useSongDraft<Typed>('words', song, {})
  const firstField = useRef<HTMLTextAreaElement>(null)
  const correct = (): void => {
    flushSync(() => setTyped({}))
    firstField.current?.focus()
  }
  return (
    <section aria-label={messages.song.words} className="stack">
      <h2>{messages.song.words}</h2>
      {typed ? (
        <Correction song={song} typed={typed} onChange={setTyped} firstField={firstField} />
      ) : (
        <>
          <div className={`line gap-1 ${styles.head}`}>
            <h3>{messages.request.style}</h3>
            <CopyButton label={messages.album.copyStyle} text={song.style} done={messages.styleCopied} />
          </div>
          <p dir="auto" className={`verse ${styles.text}`}>
            {withLineFeeds(song.style)}
          </p>
          <div className={`line gap-1 ${styles.head}`}>
            <h3>{messages.request.lyrics}</h3>
            <CopyButton label={messages.album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
          </div>
          <p dir="auto" className={`verse ${styles.text}`}>
            {isBlank(song.lyrics) ? messages.noLyrics : withLineFeeds(song.lyrics)}
          </p>
          {song.brief && <BriefList brief={song.brief} />}
          {canCorrect(song) && (
            <div className="row">
              <Button small onClick={correct}>
                {messages.song.correct}
              </Button>
              <span className="soft hint">{messages.song.correctHint}</span>
            </div>
          )}
        </>
      )}
    </section>
  )
}

function Correction(props: {
  song: Song
  typed: Typed
  /** Null: there is nothing to correct any more. */
  onChange: (typed: Typed | null) => void
  firstField: RefObject<HTMLTextAreaElement | null>
}) {
  const { song, typed, onChange, firstField } = props
  const { busy, error, correct } = useSongAction(song.id)
  const isTooLate = !canCorrect(song)
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (!(await correct(typed))) return
    onChange(null)
    toast.status(messages.song.corrected)
  }
  return (
    <form className="stack" noValidate onSubmit={(event) => void save(event)}>
      <TextArea
        ref={firstField}
        label={messages.request.style}
        rows={3}
        readOnly={busy || isTooLate}
        value={typed.style ?? song.style}
        onChange={(event) => onChange({ ...typed, style: event.target.value })}
      />
      <TextArea
        label={messages.request.lyrics}
        rows={10}
        ruled
        readOnly={busy || isTooLate}
        value={typed.lyrics ?? song.lyrics}
        onChange={(event) => onChange({ ...typed, lyrics: event.target.value })}
      />
      {isTooLate && <p className="soft hint">{messages.song.correctedTooLate}</p>}
      {error && <FormError key={error.at} text={error.text} />}
      <div className="row">
        {!isTooLate && (
          <Button type="submit" variant="primary" busy={busy}>
            {messages.song.saveWords}
          </Button>
        )}
        <Button disabled={busy} onClick={() => onChange(null)}>
          {messages.song.leave}
        </Button>
      </div>
    </form>
  )
}
