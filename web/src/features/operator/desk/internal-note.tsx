import { useEffect, useRef, useState } from 'react'
import { MAX_INTERNAL_NOTE, type Song } from '@prelude/contracts'
import { ApiProblem, call, errorMessage, isTemporary } from '../../../api/client.ts'
import { putOperatorSong } from '../../../api/operator.ts'
import { messages } from '../../../messages.ts'
import { TextArea } from '../../../ui/field.tsx'
import { useHeldPage } from '../../../state/held-page.ts'
import { createStore } from '../../../state/store.ts'
import { toast } from '../../../ui/toast.tsx'
import { lengthOf } from '../../../text/truncate.ts'

const SAVE_DELAY_MS = 800
const RETRY_DELAY_MS = 15_000
/** One for all notes: during an outage each pause in typing is another attempt that fails. */
let retryTimer: ReturnType<typeof setTimeout> | undefined

interface Draft {
  readonly text: string
  readonly state: 'typed' | 'saving' | 'notSaved'
}

/** What is typed and not saved yet, by song. It outlives the field: saving can fail when another song is open already. */
const drafts = createStore<Readonly<Record<string, Draft | undefined>>>({})

/** Asks before the page is left. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

function setDraft(songId: string, draft: Draft | undefined): void {
  drafts.set({ ...drafts.get(), [songId]: draft })
  if (Object.values(drafts.get()).some(Boolean)) addEventListener('beforeunload', warn)
  else removeEventListener('beforeunload', warn)
}

/** What is typed stays until it is saved. */
export const typeNote = (songId: string, text: string): void =>
  setDraft(songId, { text, state: drafts.get()[songId]?.state ?? 'typed' })

/**
 * One request at a time, so that none overtakes another: what is typed meanwhile is saved after it. What cannot be saved stays,
 * and is tried again where that may help.
 */
export async function saveNote(songId: string): Promise<void> {
  const draft = drafts.get()[songId]
  if (!draft || draft.state === 'saving') return
  if (lengthOf(draft.text) > MAX_INTERNAL_NOTE) return setDraft(songId, { ...draft, state: 'notSaved' })
  setDraft(songId, { ...draft, state: 'saving' })
  let isGone = false
  const saved = await call('PUT /api/operator/songs/:id/note', {
    params: { id: songId },
    body: { text: draft.text },
    keepalive: true,
  }).catch((error: unknown) => {
    isGone = error instanceof ApiProblem && error.status === 404
    // once, not at each retry
    if (draft.state === 'typed') toast.alert(messages.desk.noteNotSaved(errorMessage(error)))
    if (!isTemporary(error)) return
    clearTimeout(retryTimer)
    retryTimer = setTimeout(saveAll, RETRY_DELAY_MS)
  })
  if (isGone) return setDraft(songId, undefined)
  if (saved) putOperatorSong(saved)
  const text = drafts.get()[songId]?.text ?? draft.text
  const isSaved = saved !== undefined && text === draft.text
  setDraft(songId, isSaved ? undefined : { text, state: saved ? 'typed' : 'notSaved' })
  if (saved && !isSaved) await saveNote(songId)
}

function saveAll(): void {
  for (const songId of Object.keys(drafts.get())) void saveNote(songId)
}

/** The network is there again, or the page is being closed. */
const SAVING_EVENTS = ['online', 'pagehide']

/** The operator's note, saved while it is typed. What is typed here wins over what another desk saves meanwhile. */
export function InternalNote({ song }: { song: Song }) {
  const { desk } = messages
  const draft = drafts.use()[song.id]
  const [isTyped, setTyped] = useState(draft !== undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useHeldPage(draft !== undefined)
  const saveNow = (): void => {
    clearTimeout(timer.current)
    void saveNote(song.id)
  }
  useEffect(() => {
    // what could not be saved when another song was opened
    void saveNote(song.id)
    return () => {
      clearTimeout(timer.current)
      void saveNote(song.id)
    }
  }, [song.id])
  useEffect(() => {
    for (const event of SAVING_EVENTS) addEventListener(event, saveAll)
    return () => SAVING_EVENTS.forEach((event) => removeEventListener(event, saveAll))
  }, [])
  const type = (text: string): void => {
    setTyped(true)
    typeNote(song.id, text)
    clearTimeout(timer.current)
    timer.current = setTimeout(saveNow, SAVE_DELAY_MS)
  }
  const state = draft ? draft.state : isTyped && 'saved'
  return (
    <TextArea
      label={desk.note}
      hint={desk.noteHint}
      beside={
        <span role="status" className="soft">
          {state && state !== 'typed' && desk.noteStates[state]}
        </span>
      }
      rows={3}
      most={MAX_INTERNAL_NOTE}
      value={draft?.text ?? song.note ?? ''}
      onChange={(event) => type(event.target.value)}
      onBlur={saveNow}
    />
  )
}
