import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { MAX_INTERNAL_NOTE, type Song } from '@prelude/contracts'
import { api, errorMessage } from '../../../api/client.ts'
import { queryClient } from '../../../api/queries.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { messages } from '../../../messages.ts'
import { TextArea } from '../../../ui/field.tsx'
import { toast } from '../../../ui/toast.tsx'
import styles from './desk.module.css'

const SAVE_DELAY_MS = 800

/** The operator's note, saved while it is typed. What is typed here wins over what another desk saves meanwhile. */
export function InternalNote({ song }: { song: Song }) {
  const { desk } = messages
  const [draft, setDraft] = useState<string | null>(null)
  const [state, setState] = useState<'saved' | 'saving' | null>(null)
  const unsaved = useRef<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const save = async (): Promise<void> => {
    clearTimeout(timer.current)
    const text = unsaved.current
    if (text === null) return
    unsaved.current = null
    setState('saving')
    try {
      const saved = await api.put<Song>(`/api/operator/songs/${song.id}/note`, { text })
      queryClient.setQueryData(queryKeys.operator('songs', 'one', song.id), saved)
      if (unsaved.current !== null) return
      setDraft(null)
      setState('saved')
    } catch (error) {
      // kept, to be saved with the next key or when the field is left
      unsaved.current ??= text
      setState(null)
      toast.alert(errorMessage(error))
    }
  }
  const saveLastWords = useEffectEvent(() => void save())
  // another song is opened while they are not saved
  useEffect(() => () => saveLastWords(), [])
  const type = (text: string): void => {
    unsaved.current = text
    setDraft(text)
    setState(null)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void save(), SAVE_DELAY_MS)
  }
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
      value={draft ?? song.note ?? ''}
      onChange={(event) => type(event.target.value)}
      onBlur={() => void save()}
    />
  )
}
