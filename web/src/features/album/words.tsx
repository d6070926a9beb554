import { type FormEvent, type RefObject, useRef } from 'react'
import { flushSync } from 'react-dom'
import type { Song } from '@prelude/contracts'
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

type Texts = Pick<Song, 'lyrics' | 'style'>

/** Style and lyrics of a song, whole; they can be corrected until somebody starts on them. */
export function Words({ song }: { song: Song }) {
  const texts: Texts = { lyrics: song.lyrics, style: song.style }
  const [corrected, setCorrected] = useSongDraft('words', song, texts)
  const firstField = useRef<HTMLTextAreaElement>(null)
  const correct = (): void => {
    flushSync(() => setCorrected(texts))
    firstField.current?.focus()
  }
  return (
    <section aria-label={messages.song.words} className={styles.words}>
      <h2>{messages.song.words}</h2>
      {corrected ? (
        <Correction song={song} texts={corrected} onChange={setCorrected} firstField={firstField} />
      ) : (
        <>
          <div className={styles.head}>
            <h3>{messages.request.style}</h3>
            <CopyButton label={messages.album.copyStyle} text={song.style} done={messages.styleCopied} />
          </div>
          <p dir="auto" className={styles.text}>
            {song.style}
          </p>
          <div className={styles.head}>
            <h3>{messages.request.lyrics}</h3>
            <CopyButton label={messages.album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
          </div>
          <p dir="auto" className={styles.text}>
            {song.lyrics.trim() === '' ? messages.noLyrics : song.lyrics}
          </p>
          {song.brief && <BriefList brief={song.brief} />}
          {canCorrect(song) && (
            <div className={styles.row}>
              <Button small onClick={correct}>
                {messages.song.correct}
              </Button>
              <span className={styles.hint}>{messages.song.correctHint}</span>
            </div>
          )}
        </>
      )}
    </section>
  )
}

function Correction(props: {
  song: Song
  texts: Texts
  /** Null: there is nothing to correct any more. */
  onChange: (texts: Texts | null) => void
  firstField: RefObject<HTMLTextAreaElement | null>
}) {
  const { song, texts, onChange, firstField } = props
  const { busy, error, correct } = useSongAction(song.id)
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (!(await correct(texts))) return
    onChange(null)
    toast.status(messages.song.corrected)
  }
  return (
    <form className={styles.form} noValidate onSubmit={(event) => void save(event)}>
      <TextArea
        ref={firstField}
        label={messages.request.style}
        rows={3}
        readOnly={busy}
        value={texts.style}
        onChange={(event) => onChange({ ...texts, style: event.target.value })}
      />
      <TextArea
        label={messages.request.lyrics}
        rows={10}
        ruled
        readOnly={busy}
        value={texts.lyrics}
        onChange={(event) => onChange({ ...texts, lyrics: event.target.value })}
      />
      {error && <FormError key={error.at} text={error.text} />}
      <div className={styles.row}>
        <Button type="submit" variant="primary" busy={busy}>
          {messages.song.saveWords}
        </Button>
        <Button onClick={() => onChange(null)}>{messages.song.leave}</Button>
      </div>
    </form>
  )
}
