import { useEffect, useRef, useState } from 'react'
import { MAX_INTERNAL_NOTE, type Song } from '@prelude/contracts'
import { api, errorMessage } from '../../../api/client.ts'
import { queryClient } from '../../../api/queries.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { messages } from '../../../messages.ts'
import { TextArea } from '../../../ui/field.tsx'
import { useHeldPage } from '../../../ui/held-page.ts'
import { createStore } from '../../../ui/store.ts'
import { toast } from '../../../ui/toast.tsx'
import styles from './desk.module.css'

const SAVE_DELAY_MS = 800

interface Draft {
  readonly text: string
  readonly isSaving: boolean
}

/** What is typed and not saved yet, by song. It outlives the field: saving can fail when another song is open already. */
const drafts = createStore<Readonly<Record<string, Draft | undefined>>>({})

const setDraft = (songId: string, draft: Draft | undefined): void =>
  drafts.set({ ...drafts.get(), [songId]: draft })

/** One request at a time, so that none overtakes another: what is typed meanwhile is saved after it. What cannot be saved stays. */
async function save(songId: string): Promise<void> {
  const draft = drafts.get()[songId]
  if (!draft || draft.isSaving) return
  setDraft(songId, { ...draft, isSaving: true })
  const saved = await api
    .put<Song>(`/api/operator/songs/${songId}/note`, { text: draft.text })
    .catch((error: unknown) => void toast.alert(messages.desk.noteNotSaved(errorMessage(error))))
  if (saved) queryClient.setQueryData(queryKeys.operator('songs', 'one', songId), saved)
  const text = drafts.get()[songId]?.text ?? draft.text
  const isSaved = saved !== undefined && text === draft.text
  setDraft(songId, isSaved ? undefined : { text, isSaving: false })
  if (saved && !isSaved) await save(songId)
}

/** The operator's note, saved while it is typed. What is typed here wins over what another desk saves meanwhile. */
export function InternalNote({ song }: { song: Song }) {
  const { desk } = messages
  const draft = drafts.use()[song.id]
  const [isTyped, setTyped] = useState(draft !== undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useHeldPage(draft !== undefined)
  const saveNow = (): void => {
    clearTimeout(timer.current)
    void save(song.id)
  }
  useEffect(() => {
    // what could not be saved when another song was opened
    void save(song.id)
    return () => {
      clearTimeout(timer.current)
      void save(song.id)
    }
  }, [song.id])
  const type = (text: string): void => {
    setTyped(true)
    setDraft(song.id, { text, isSaving: drafts.get()[song.id]?.isSaving ?? false })
    clearTimeout(timer.current)
    timer.current = setTimeout(saveNow, SAVE_DELAY_MS)
  }
  const state = draft ? draft.isSaving && 'saving' : isTyped && 'saved'
  return (
    <TextArea
      label={desk.note}
      hint={desk.noteHint}
      beside={
        <span role="status" className={styles.soft}>
          {state && desk.noteStates[state]}
        </span>
      }
      rows={3}
      maxLength={MAX_INTERNAL_NOTE}
      value={draft?.text ?? song.note ?? ''}
      onChange={(event) => type(event.target.value)}
      onBlur={saveNow}
    />
  )
}
