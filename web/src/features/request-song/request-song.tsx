import { type FormEvent, useEffect, useState } from 'react'
import { MAX_LYRICS, MAX_STYLE, type Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { api, ApiProblem, sentenceOf } from '../../api/client.ts'
import { putSong, useCredits } from '../../api/queries.ts'
import { showSending } from '../../api/sending.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './request-song.module.css'

const keyOf = (uid: string): string => `prelude-draft:${uid}`

interface Draft {
  readonly lyrics: string
  readonly style: string
  /** Of the attempt to send exactly this text: a retry after a lost answer, or a reload, finds the first request. */
  readonly key?: string
}

const EMPTY: Draft = { lyrics: '', style: '' }

/**
 * Kept in this tab, so that neither a reload nor a session that ends loses a word; by person, so that the next one at
 * this desk does not read it.
 */
function keptDraft(uid: string): Draft {
  try {
    return {
      ...EMPTY,
      ...(JSON.parse(sessionStorage.getItem(keyOf(uid)) ?? '{}') as Partial<Draft>),
    }
  } catch {
    return EMPTY
  }
}

/** An empty draft leaves nothing behind, not even whose it was. */
const keepDraft = (uid: string, draft: Draft): void =>
  draft.lyrics === '' && draft.style === ''
    ? sessionStorage.removeItem(keyOf(uid))
    : sessionStorage.setItem(keyOf(uid), JSON.stringify(draft))

const isBlank = (text: string): boolean => /^\p{White_Space}*$/u.test(text)

export function RequestSong({ uid }: { uid: string }) {
  const [draft, setDraft] = useState(() => keptDraft(uid))
  const [busy, setBusy] = useState(false)
  useEffect(() => keepDraft(uid, draft), [uid, draft])

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (busy) return
    if (isBlank(draft.lyrics) || isBlank(draft.style)) {
      toast.alert(messages.lyricsAndStyle)
      return
    }
    const { lyrics, style, key = crypto.randomUUID() } = draft
    setDraft({ lyrics, style, key })
    setBusy(true)
    const done = toast.progress(messages.submitting)
    const arrived = showSending({ lyrics, style })
    try {
      const song = await api.post<Song>('/api/songs', { lyrics, style }, { idempotencyKey: key })
      putSong(song)
      setDraft(EMPTY)
      // the person may have left the form in the meantime
      keepDraft(uid, EMPTY)
      toast.status(messages.submitted(song.id))
    } catch (error) {
      const refused = error instanceof ApiProblem && error.status >= 400 && error.status < 500
      if (!(refused && error.code === 'not_signed_in'))
        toast.alert(refused ? sentenceOf(error) : messages.submitFailed)
    } finally {
      arrived()
      done()
      setBusy(false)
    }
  }

  const addWords = (words: string): void =>
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
        beside={<Count text={draft.lyrics} max={MAX_LYRICS} />}
        placeholder={messages.request.lyricsPlaceholder}
        value={draft.lyrics}
        readOnly={busy}
        onChange={(event) => setDraft({ lyrics: event.target.value, style: draft.style })}
      />
      <div className={styles.group}>
        <TextArea
          label={messages.request.style}
          rows={2}
          beside={<Count text={draft.style} max={MAX_STYLE} />}
          hint={messages.request.styleHint}
          placeholder={messages.request.stylePlaceholder}
          value={draft.style}
          readOnly={busy}
          onChange={(event) => setDraft({ lyrics: draft.lyrics, style: event.target.value })}
        />
        <Chips onAdd={addWords} />
      </div>
      <div className={styles.act}>
        <Price />
        <Button type="submit" variant="primary" className={styles.create} busy={busy}>
          {busy ? messages.cooking : messages.request.create}
        </Button>
      </div>
    </form>
  )
}

/** In code points, as the server counts. */
function Count({ text, max }: { text: string; max: number }) {
  const length = Array.from(text).length
  if (length === 0) return null
  const over = length - max
  return (
    <span
      className={`mono ${styles.count}`}
      data-over={over > 0 || undefined}
      aria-live={over > 0 ? 'polite' : 'off'}
    >
      {over > 0 ? messages.request.over(over) : messages.request.count(length, max)}
    </span>
  )
}

/** Each press adds the next suggestion of its kind. */
function Chips({ onAdd }: { onAdd: (words: string) => void }) {
  const [turns, setTurns] = useState<Record<string, number>>({})
  return (
    <div className={styles.chips}>
      {messages.request.chips.map(({ label, words }) => (
        <button
          key={label}
          type="button"
          className={styles.chip}
          onClick={() => {
            const turn = turns[label] ?? 0
            setTurns({ ...turns, [label]: turn + 1 })
            onAdd(words[turn % words.length] ?? '')
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
  return <p className="mono">{priceText(balance)}</p>
}

function priceText(balance: number | undefined): string {
  if (balance === undefined) return messages.request.price(SONG_PRICE_CREDITS)
  return balance >= SONG_PRICE_CREDITS
    ? messages.request.priceOf(SONG_PRICE_CREDITS, balance)
    : messages.needs(SONG_PRICE_CREDITS, balance)
}
