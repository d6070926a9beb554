import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isBlank, MAX_LYRICS, MAX_STYLE, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { ApiProblem, call, errorMessage } from '../../api/client.ts'
import { useCredits } from '../../api/credits.ts'
import { putSong } from '../../api/songs.ts'
import { showOptimisticSong } from '../../state/optimistic-song.ts'
import { EMPTY_DRAFT, removeSent, type RequestDraft, useRequestDraft } from '../../state/request-draft.ts'
import { format, messages, siteConfig } from '../../messages.ts'
import { consumeState } from '../../router.tsx'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { useOverlays } from '../../state/overlays.ts'
import { toast } from '../../ui/toast.tsx'
import { lengthOf } from '../../text/truncate.ts'
import { BriefFields } from './brief-fields.tsx'
import { briefToSend, problemsOf } from './brief-rules.ts'
import styles from './request-song.module.css'
import { SectionButtons } from './section-buttons.tsx'

const isTooLong = ({ lyrics, style }: RequestDraft): boolean =>
  lengthOf(lyrics) > MAX_LYRICS || lengthOf(style) > MAX_STYLE

/** `filled`: another page has filled the form, which is shown. */
export function RequestSong({ uid, filled }: { uid: string; filled: boolean }) {
  const [draft, changeDraft] = useRequestDraft(uid)
  const [busy, setBusy] = useState(false)
  const isMissing = isBlank(draft.lyrics) || isBlank(draft.style)
  const tooLong = isTooLong(draft)
  const dismissAlert = useRef<() => void>(undefined)
  /** What is missing or too long; the alert goes once that is mended. */
  const [wrong, setWrong] = useState<'missing' | 'long' | null>(null)
  if ((wrong === 'missing' && !isMissing) || (wrong === 'long' && !tooLong)) setWrong(null)
  useEffect(() => {
    if (wrong === null) dismissAlert.current?.()
  }, [wrong])

  const lyricsField = useRef<HTMLTextAreaElement>(null)
  /** Errors of the brief are shown from the first attempt on. */
  const [tried, setTried] = useState(false)
  useEffect(() => {
    if (!filled) return
    lyricsField.current?.focus()
    consumeState()
  }, [filled])
  /** Changed, it is another request. */
  const change = (changed: Partial<RequestDraft>): void =>
    changeDraft(({ key: _key, ...now }) => ({ ...now, ...changed }))

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    if (busy) return
    if (isMissing || tooLong) {
      flushSync(() => setWrong(isMissing ? 'missing' : 'long'))
      dismissAlert.current = toast.alert(isMissing ? messages.lyricsAndStyle : messages.textTooLong)
      showFirstError(form)
      return
    }
    if (Object.keys(problemsOf(draft.brief)).length > 0) {
      flushSync(() => setTried(true))
      showFirstError(form)
      return
    }
    const { lyrics, style, key = crypto.randomUUID() } = draft
    changeDraft((now) => ({ ...now, key }))
    setBusy(true)
    const done = toast.progress(messages.submitting)
    const hideOptimisticSong = showOptimisticSong({ lyrics, style })
    try {
      const body = { lyrics, style, brief: briefToSend(draft.brief) }
      const song = await call('POST /api/songs', { body, idempotencyKey: key })
      putSong(song)
      removeSent(uid, key)
      setTried(false)
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

  return (
    <form
      className={styles.card}
      aria-label={messages.request.title}
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      <h2>{messages.request.title}</h2>
      {draft.before && !busy && (
        <Button
          variant="link"
          className={styles.putBack}
          onClick={() => changeDraft(({ before }) => before ?? EMPTY_DRAFT)}
        >
          {messages.brief.putBack}
        </Button>
      )}
      <TextArea
        ref={lyricsField}
        label={messages.request.lyrics}
        rows={6}
        ruled
        beside={<SectionButtons text={lyricsField} />}
        most={MAX_LYRICS}
        placeholder={messages.request.lyricsPlaceholder}
        value={draft.lyrics}
        readOnly={busy}
        aria-invalid={isInvalid(draft.lyrics, MAX_LYRICS) || undefined}
        onChange={(event) => change({ lyrics: event.target.value })}
      />
      <TextArea
        label={messages.request.style}
        rows={2}
        most={MAX_STYLE}
        hint={messages.request.styleHint}
        placeholder={messages.request.stylePlaceholder}
        value={draft.style}
        readOnly={busy}
        aria-invalid={isInvalid(draft.style, MAX_STYLE) || undefined}
        onChange={(event) => change({ style: event.target.value })}
      />
      <BriefFields
        brief={draft.brief}
        onChange={(next) => change({ brief: next })}
        tried={tried}
        busy={busy}
      />
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

/** It may be folded away. */
function showFirstError(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid]')
  const folded = field?.closest('details')
  if (folded) folded.open = true
  field?.focus()
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
