import { useEffect, useState } from 'react'
import type { NewNote } from '@prelude/contracts'
import { sessionStore } from '../../ui/storage.ts'

export interface DraftNote {
  readonly id: string
  readonly version: 1 | 2
  /** Null: about the whole version. */
  readonly atMs: number | null
  readonly text: string
}

/** What a person has written before it is sent. */
export interface ChangesDraft {
  readonly notes: readonly DraftNote[]
  /** Written before its position was chosen. */
  readonly text: string
  /** The note that the text field shows; without one it shows `text`. */
  readonly editing: string | null
  /** Idempotency key of exactly these notes: sent again after a lost answer, they are asked for once. */
  readonly key: string
}

export const emptyDraft = (): ChangesDraft => ({
  notes: [],
  text: '',
  editing: null,
  key: crypto.randomUUID(),
})

const changed = (draft: ChangesDraft, by: Partial<ChangesDraft>): ChangesDraft => ({
  ...draft,
  ...by,
  key: crypto.randomUUID(),
})

/** What the text field shows. */
export const shownText = ({ notes, text, editing }: ChangesDraft): string =>
  editing === null ? text : (notes.find(({ id }) => id === editing)?.text ?? '')

/** Text that is there already becomes the note; without any, the text field shows the new note to be written. */
export function withNote(draft: ChangesDraft, at: Pick<DraftNote, 'version' | 'atMs'>): ChangesDraft {
  const note = { ...at, id: crypto.randomUUID(), text: draft.editing === null ? draft.text.trim() : '' }
  const notes = [...draft.notes, note].toSorted(
    (a, b) => a.version - b.version || (a.atMs ?? -1) - (b.atMs ?? -1),
  )
  return changed(draft, { notes, text: '', editing: note.text === '' ? note.id : null })
}

export const withText = (draft: ChangesDraft, text: string): ChangesDraft =>
  draft.editing === null
    ? changed(draft, { text })
    : changed(draft, {
        notes: draft.notes.map((note) => (note.id === draft.editing ? { ...note, text } : note)),
      })

export const withEditing = (draft: ChangesDraft, editing: string | null): ChangesDraft => ({
  ...draft,
  editing,
})

export const withoutNote = (draft: ChangesDraft, id: string): ChangesDraft =>
  changed(draft, {
    notes: draft.notes.filter((note) => note.id !== id),
    editing: draft.editing === id ? null : draft.editing,
  })

export const notesToSend = ({ notes }: ChangesDraft): readonly NewNote[] =>
  notes.map(({ version, atMs, text }) => ({ version, atMs, text: text.trim() }))

/** Ends with the uid, so that signing out removes it. */
const keyOf = (uid: string, songId: string): string => `prelude-changes/${songId}:${uid}`

const load = (key: string): ChangesDraft => {
  try {
    return { ...emptyDraft(), ...(JSON.parse(sessionStore.get(key) ?? '{}') as Partial<ChangesDraft>) }
  } catch {
    return emptyDraft()
  }
}

const isEmpty = ({ notes, text }: ChangesDraft): boolean => notes.length === 0 && text === ''

/** Survives a reload, in this tab; no other person of this browser sees it. */
export function useChangesDraft(uid: string, songId: string) {
  const key = keyOf(uid, songId)
  const [draft, setDraft] = useState(() => load(key))
  useEffect(
    () => (isEmpty(draft) ? sessionStore.remove(key) : sessionStore.set(key, JSON.stringify(draft))),
    [key, draft],
  )
  return [draft, setDraft] as const
}

/** They were asked for, from here or from elsewhere. */
export const removeChangesDraft = (uid: string, songId: string): void =>
  sessionStore.remove(keyOf(uid, songId))

export const hasChangesDraft = (uid: string, songId: string): boolean =>
  sessionStore.get(keyOf(uid, songId)) !== null
