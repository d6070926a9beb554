import { useState } from 'react'
import type { NewNote, Song } from '@prelude/contracts'
import { useSongDraft } from './song-draft.ts'

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

const isEmpty = ({ notes, text }: ChangesDraft): boolean => notes.length === 0 && text === ''

/** An empty one is not kept. */
export function useChangesDraft(song: Song) {
  const [empty] = useState(emptyDraft)
  const [kept, keep] = useSongDraft('changes', song, empty)
  return [kept ?? empty, (next: ChangesDraft): void => keep(isEmpty(next) ? null : next)] as const
}
