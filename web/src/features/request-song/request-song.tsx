import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isBlank, MAX_LYRICS, MAX_STYLE, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { usePublishedHeight } from '../../browser/published-height.ts'
import { ApiProblem, call, errorMessage } from '../../api/client.ts'
import { useCredits } from '../../api/credits.ts'
import { useNextPromise } from '../../api/promise.ts'
import { putSong } from '../../api/songs.ts'
import { showOptimisticSong } from '../../state/optimistic-song.ts'
import { EMPTY_DRAFT, removeSent, type RequestDraft, useRequestDraft } from '../../state/request-draft.ts'
import { messages, siteConfig } from '../../messages.ts'
import { consumeState } from '../../router.tsx'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { useOverlays } from '../../state/overlays.ts'
import { NextPromise } from '../../ui/next-promise.tsx'
import { toast } from '../../ui/toast.tsx'
import { lengthOf } from '../../text/truncate.ts'
import { BriefFields } from './brief-fields.tsx'
import { briefToSend, problemsOf } from './brief-rules.ts'
import styles from './request-song.module.css'
import { SectionButtons } from './section-buttons.tsx'

const isTooLong = ({ lyrics, style }: RequestDraft): boolean =>
  lengthOf(lyrics) > MAX_LYRICS || lengthOf(style) > MAX_STYLE

/** Of the messages about a request: each replaces the one before it. */
const OPERATION = 'request'

/** Why the last attempt failed; `at` is its key, so that a repeated one is announced again. */
interface Problem {
  readonly kind: 'missing' | 'long' | 'failed'
  readonly text: string
  /** What the person can do. */
  readonly detail?: string
  readonly at: number
}

/** `filled`: another page has filled the form, which is shown. */
export function RequestSong({ uid, filled }: { uid: string; filled: boolean }) {
  const [draft, changeDraft] = useRequestDraft(uid)
  const promise = useNextPromise()
  const balance = useCredits()
  const [busy, setBusy] = useState(false)
  const isMissing = isBlank(draft.lyrics) || isBlank(draft.style)
  const tooLong = isTooLong(draft)
  const [problem, setProblem] = useState<Problem | null>(null)
  const act = usePublishedHeight<HTMLDivElement>('--act-height')
  const isMended = (problem?.kind === 'missing' && !isMissing) || (problem?.kind === 'long' && !tooLong)
  if (isMended) setProblem(null)
  const fail = (kind: Problem['kind'], text: string, detail?: string): void =>
    setProblem({ kind, text, at: Date.now(), ...(detail !== undefined && { detail }) })

  const lyricsField = useRef<HTMLTextAreaElement>(null)
  /** Attempts that were refused because of the brief. */
  const [refusals, setRefusals] = useState(0)
  /** Counts the drafts that the form has had. */
  const [drafts, setDrafts] = useState(0)
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
      flushSync(() =>
        isMissing ? fail('missing', messages.lyricsAndStyle) : fail('long', messages.textTooLong),
      )
      focusFirstError(form)
      return
    }
    if (Object.keys(problemsOf(draft.brief)).length > 0) {
      flushSync(() => setRefusals(refusals + 1))
      focusFirstError(form)
      return
    }
    const { lyrics, style, key = crypto.randomUUID() } = draft
    // a repeat is the same request, also in what the form said
    const readyBy = draft.key === undefined ? promise : draft.readyBy
    changeDraft((now) => ({ ...now, key, readyBy }))
    setBusy(true)
    setProblem(null)
    const done = toast.progress(messages.submitting, OPERATION)
    const hideOptimisticSong = showOptimisticSong({ lyrics, style })
    try {
      const body = { lyrics, style, brief: briefToSend(draft.brief), readyBy }
      const song = await call('POST /api/songs', { body, idempotencyKey: key })
      putSong(song)
      removeSent(uid, key)
      setRefusals(0)
      setDrafts(drafts + 1)
      toast.status(messages.submitted(song.id), { operation: OPERATION })
    } catch (error) {
      const isFinal = error instanceof ApiProblem && error.status >= 400 && error.status < 500
      if (!isFinal) fail('failed', messages.submitFailed, messages.sendAgain)
      else if (error.code !== 'not_signed_in') fail('failed', errorMessage(error))
    } finally {
      hideOptimisticSong()
      done()
      setBusy(false)
    }
  }

  const isInvalid = (text: string, max: number): boolean =>
    lengthOf(text) > max || (problem?.kind === 'missing' && isBlank(text))

  return (
    <form
      className={`stack gap-5 card ${styles.card}`}
      aria-label={messages.request.title}
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      <h2 className="title">{messages.request.title}</h2>
      {draft.before && !busy && (
        <Button
          variant="link"
          className={styles.putBack}
          onClick={() => {
            changeDraft(({ before }) => before ?? EMPTY_DRAFT)
            setDrafts(drafts + 1)
          }}
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
        key={drafts}
        brief={draft.brief}
        onChange={(next) => change({ brief: next })}
        refusals={refusals}
        busy={busy}
      />
      {siteConfig.generator && <p className="soft hint">{messages.brief.generator}</p>}
      <div ref={act} className={`row split ${styles.act}`}>
        {problem && (
          <div className={styles.problem}>
            <FormError key={problem.at} text={problem.text} />
            {problem.detail !== undefined && <p>{problem.detail}</p>}
          </div>
        )}
        <div>
          <Price balance={balance} />
          <p className="mono">
            <NextPromise balance={balance} />
          </p>
        </div>
        <Button type="submit" variant="primary" className={styles.create} busy={busy}>
          {busy ? messages.cooking : messages.request.create}
        </Button>
      </div>
    </form>
  )
}

const focusFirstError = (form: HTMLFormElement): void =>
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus()

function Price({ balance }: { balance: number | undefined }) {
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
