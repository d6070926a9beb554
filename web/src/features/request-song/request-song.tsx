import { type FormEvent, useEffect, useRef, useState } from 'react'
import { MAX_LYRICS, MAX_STYLE, type Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { api, ApiProblem, errorMessage } from '../../api/client.ts'
import { putSong, useCredits } from '../../api/queries.ts'
import { showOptimisticSong } from '../../api/optimistic-song.ts'
import { format, messages, siteConfig } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { useOverlays } from '../../ui/overlays.ts'
import { draftKey, sessionStore } from '../../ui/storage.ts'
import { toast } from '../../ui/toast.tsx'
import styles from './request-song.module.css'

interface Draft {
  readonly lyrics: string
  readonly style: string
  /** Idempotency key of this exact text: a retry after a lost response or a reload finds the first request. */
  readonly key?: string
}

const EMPTY: Draft = { lyrics: '', style: '' }

/**
 * The draft in sessionStorage: it survives a reload and an expired session. Stored by uid, so that the next person on a
 * shared computer does not see it.
 */
function loadDraft(uid: string): Draft {
  try {
    return {
      ...EMPTY,
      ...(JSON.parse(sessionStore.get(draftKey(uid)) ?? '{}') as Partial<Draft>),
    }
  } catch {
    return EMPTY
  }
}

/** An empty draft is removed, so that not even its uid stays. */
const saveDraft = (uid: string, draft: Draft): void =>
  draft.lyrics === '' && draft.style === ''
    ? sessionStore.remove(draftKey(uid))
    : sessionStore.set(draftKey(uid), JSON.stringify(draft))

/** Code points, like the server. */
const lengthOf = (text: string): number => Array.from(text).length
const isTooLong = ({ lyrics, style }: Draft): boolean =>
  lengthOf(lyrics) > MAX_LYRICS || lengthOf(style) > MAX_STYLE
const isBlank = (text: string): boolean => /^\p{White_Space}*$/u.test(text)

export function RequestSong({ uid }: { uid: string }) {
  const [draft, setDraft] = useState(() => loadDraft(uid))
  const [busy, setBusy] = useState(false)
  useEffect(() => saveDraft(uid, draft), [uid, draft])
  const isMissing = isBlank(draft.lyrics) || isBlank(draft.style)
  const tooLong = isTooLong(draft)
  const dismissAlert = useRef<() => void>(undefined)
  /** What is missing or too long; the alert goes once that is mended. */
  const [wrong, setWrong] = useState<'missing' | 'long' | null>(null)
  if ((wrong === 'missing' && !isMissing) || (wrong === 'long' && !tooLong)) setWrong(null)
  useEffect(() => {
    if (wrong === null) dismissAlert.current?.()
  }, [wrong])

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (busy) return
    if (isMissing || tooLong) {
      setWrong(isMissing ? 'missing' : 'long')
      dismissAlert.current = toast.alert(isMissing ? messages.lyricsAndStyle : messages.textTooLong)
      return
    }
    const { lyrics, style, key = crypto.randomUUID() } = draft
    setDraft({ lyrics, style, key })
    setBusy(true)
    const done = toast.progress(messages.submitting)
    const hideOptimisticSong = showOptimisticSong({ lyrics, style })
    try {
      const song = await api.post<Song>('/api/songs', { lyrics, style }, { idempotencyKey: key })
      putSong(song)
      setDraft(EMPTY)
      // the form may be unmounted by now, and its effect does not run
      saveDraft(uid, EMPTY)
      toast.status(messages.submitted(song.id))
    } catch (error) {
      const isFinal = error instanceof ApiProblem && error.status >= 400 && error.status < 500
      if (!(isFinal && error.code === 'not_signed_in'))
        toast.alert(
          isFinal ? errorMessage(error) : messages.submitFailed,
          isFinal ? undefined : messages.sendAgain,
        )
    } finally {
      hideOptimisticSong()
      done()
      setBusy(false)
    }
  }

  const isInvalid = (text: string, max: number): boolean =>
    lengthOf(text) > max || (wrong === 'missing' && isBlank(text))

  const addToStyle = (words: string): void =>
    setDraft((now) => ({
      lyrics: now.lyrics,
      style: now.style.trim() === '' ? words : `${now.style.replace(/[,\s]+$/, '')}, ${words}`,
    }))

  return (
    <form
      className={styles.card}
      aria-label={messages.request.title}
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      <h2>{messages.request.title}</h2>
      <TextArea
        label={messages.request.lyrics}
        rows={6}
        ruled
        beside={<CharacterCount text={draft.lyrics} max={MAX_LYRICS} />}
        placeholder={messages.request.lyricsPlaceholder}
        value={draft.lyrics}
        readOnly={busy}
        aria-invalid={isInvalid(draft.lyrics, MAX_LYRICS) || undefined}
        onChange={(event) => setDraft({ lyrics: event.target.value, style: draft.style })}
      />
      <div className={styles.group}>
        <TextArea
          label={messages.request.style}
          rows={2}
          beside={<CharacterCount text={draft.style} max={MAX_STYLE} />}
          hint={messages.request.styleHint}
          placeholder={messages.request.stylePlaceholder}
          value={draft.style}
          readOnly={busy}
          aria-invalid={isInvalid(draft.style, MAX_STYLE) || undefined}
          onChange={(event) => setDraft({ lyrics: draft.lyrics, style: event.target.value })}
        />
        <StyleSuggestions onAdd={addToStyle} />
      </div>
      <div className={styles.act}>
        <div>
          <Price />
          <p className="mono">{messages.request.ready(format.hours(siteConfig.turnaroundHours))}</p>
        </div>
        <Button type="submit" variant="primary" className={styles.create} busy={busy}>
          {busy ? messages.cooking : messages.request.create}
        </Button>
      </div>
    </form>
  )
}

function CharacterCount({ text, max }: { text: string; max: number }) {
  const length = lengthOf(text)
  if (length === 0) return null
  const excess = length - max
  return (
    <span
      className={`mono ${styles.count}`}
      data-over={excess > 0 || undefined}
      aria-live={excess > 0 ? 'polite' : 'off'}
    >
      {excess > 0 ? messages.request.over(excess) : messages.request.count(length, max)}
    </span>
  )
}

/** Buttons that append to the style; each press of one appends its next suggestion. */
function StyleSuggestions({ onAdd }: { onAdd: (words: string) => void }) {
  const [presses, setPresses] = useState<Record<string, number>>({})
  return (
    <div className={styles.chips}>
      {messages.request.chips.map(({ label, words }) => (
        <button
          key={label}
          type="button"
          className={styles.chip}
          onClick={() => {
            const count = presses[label] ?? 0
            setPresses({ ...presses, [label]: count + 1 })
            onAdd(words[count % words.length] ?? '')
          }}
        >
          + {label}
        </button>
      ))}
    </div>
  )
}

function Price() {
  const balance = useCredits()
  const overlays = useOverlays()
  if (balance !== undefined && balance < SONG_PRICE_CREDITS)
    return (
      <button type="button" className={`mono ${styles.needs}`} onClick={() => overlays.openTopUp()}>
        {messages.needs(SONG_PRICE_CREDITS, balance)}
      </button>
    )
  return (
    <p className="mono">
      {balance === undefined
        ? messages.request.price(SONG_PRICE_CREDITS)
        : messages.request.priceOf(SONG_PRICE_CREDITS, balance)}
    </p>
  )
}
