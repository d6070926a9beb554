import { expect, test } from 'vitest'
import {
  type ChangesDraft,
  emptyDraft,
  notesToSend,
  shownText,
  withEditing,
  withNote,
  withoutNote,
  withText,
} from '../src/features/album/changes-draft.ts'

const HERE = { version: 1, atMs: 4_000 } as const
const texts = (draft: ChangesDraft) => notesToSend(draft).map(({ text }) => text)

test('a note is written before its position is chosen, or after', () => {
  const first = withNote(withText(emptyDraft(), ' louder '), HERE)
  expect([texts(first), shownText(first)]).toEqual([['louder'], ''])
  const opened = withNote(first, { version: 1, atMs: 9_000 })
  const second = withText(opened, 'softer')
  expect([texts(second), shownText(second)]).toEqual([['louder', 'softer'], 'softer'])
  // the next one begins empty, and the one before keeps its text
  const third = withText(withNote(second, { version: 2, atMs: null }), 'another end')
  expect(notesToSend(third)).toEqual([
    { version: 1, atMs: 4_000, text: 'louder' },
    { version: 1, atMs: 9_000, text: 'softer' },
    { version: 2, atMs: null, text: 'another end' },
  ])
})

test('notes are in the order of versions and positions, and one about the whole is first', () => {
  let draft = emptyDraft()
  for (const [version, atMs] of [
    [2, 1],
    [1, 50],
    [1, null],
    [1, 7],
  ] as const)
    draft = withNote(withText(draft, `${version} ${atMs}`), { version, atMs })
  expect(texts(draft)).toEqual(['1 null', '1 7', '1 50', '2 1'])
})

test('a note is edited and removed, and what was begun beside it stays', () => {
  const written = withText(withNote(withText(emptyDraft(), 'louder'), HERE), 'begun')
  const id = written.notes[0]?.id ?? ''
  const edited = withText(withEditing(written, id), 'much louder')
  expect(texts(edited)).toEqual(['much louder'])
  const removed = withoutNote(edited, id)
  expect([texts(removed), removed.editing, shownText(removed)]).toEqual([[], null, 'begun'])
})

test('the same notes keep their idempotency key, other notes get another', () => {
  const written = withNote(withText(emptyDraft(), 'louder'), HERE)
  const id = written.notes[0]?.id ?? ''
  expect(withEditing(written, id).key).toBe(written.key)
  for (const next of [
    withText(withEditing(written, id), 'x'),
    withoutNote(written, id),
    withNote(written, HERE),
  ])
    expect(next.key).not.toBe(written.key)
})
