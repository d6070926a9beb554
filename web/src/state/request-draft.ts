import { useEffect, useState } from 'react'
import type { Brief, Song } from '@prelude/contracts'
import { keepWords, sessionStore } from '../browser/storage.ts'
import { createStore } from './store.ts'

/** A brief as it is typed; all of it may be empty. */
export interface BriefDraft {
  readonly genre: string
  readonly mood: string
  readonly tempo: string
  readonly voice: string
  readonly language: string
  /** Separated by commas. */
  readonly instruments: string
  readonly reference: string
  readonly keepWords: boolean
}

/** A request that is being written. */
export interface RequestDraft {
  readonly lyrics: string
  readonly style: string
  readonly brief: BriefDraft
  /** Idempotency key of exactly this request: a retry after a lost response or a reload finds the first one. */
  readonly key?: string
  /** What the form said of the promise when the request was first sent. */
  readonly readyBy?: number | undefined
  /** What was being written before a song was asked for again. */
  readonly before?: RequestDraft
}

export const EMPTY_DRAFT: RequestDraft = {
  lyrics: '',
  style: '',
  brief: {
    genre: '',
    mood: '',
    tempo: '',
    voice: '',
    language: '',
    instruments: '',
    reference: '',
    keepWords: false,
  },
}

/** Ends with the uid, so that signing out removes it. */
const draftKey = (uid: string): string => `prelude-draft:${uid}`

/**
 * The draft in sessionStorage: it survives a reload and an expired session. Stored by uid, so that the next person on a
 * shared computer does not see it.
 */
function load(uid: string): RequestDraft {
  try {
    const kept = JSON.parse(sessionStore.get(draftKey(uid)) ?? '{}') as Partial<RequestDraft>
    return { ...EMPTY_DRAFT, ...kept, brief: { ...EMPTY_DRAFT.brief, ...kept.brief } }
  } catch {
    return EMPTY_DRAFT
  }
}

/** An empty draft is removed, so that not even its uid stays. */
const save = (uid: string, draft: RequestDraft): void =>
  keepWords(draftKey(uid), isEmpty(draft) ? null : JSON.stringify(draft))

/** Idempotency keys of requests that were made: what has one of them is no draft any more. */
const made = createStore<ReadonlySet<string>>(new Set())

/** The draft without requests that were made. */
function unsent(draft: RequestDraft): RequestDraft {
  const { before, ...current } = draft
  const left = before && unsent(before)
  if (draft.key !== undefined && made.get().has(draft.key)) return left ?? EMPTY_DRAFT
  return left === before ? draft : { ...current, ...(left && !isEmpty(left) && { before: left }) }
}

/** The draft of a form, and a function that changes it. */
export function useRequestDraft(uid: string) {
  const [kept, setKept] = useState(() => load(uid))
  made.use()
  const draft = unsent(kept)
  useEffect(() => save(uid, draft), [uid, draft])
  const change = (changed: (draft: RequestDraft) => RequestDraft): void =>
    setKept((now) => changed(unsent(now)))
  return [draft, change] as const
}

/** Removes a request that was made, whatever the form holds by now: "Ask again" may have filled it meanwhile. */
export function removeSent(uid: string, key: string): void {
  made.set(new Set([...made.get(), key]))
  save(uid, unsent(load(uid)))
}

export const isBriefEmpty = (brief: BriefDraft): boolean =>
  Object.values(brief).every((value) => value === '' || value === false)

const isEmpty = ({ lyrics, style, brief, before }: RequestDraft): boolean =>
  lyrics === '' && style === '' && isBriefEmpty(brief) && before === undefined

/** Fills the form with this song's words and brief, and keeps what was being written there. */
export function saveAskedAgain(song: Song): void {
  const { before, ...current } = load(song.uid)
  const replaced = isEmpty(current) ? before : current
  const { lyrics, style, brief } = song
  save(song.uid, {
    lyrics,
    style,
    brief: typedBrief(brief ?? {}),
    ...(replaced && { before: replaced }),
  })
}

const typedBrief = ({ tempoBpm, instruments, ...texts }: Brief): BriefDraft => ({
  ...EMPTY_DRAFT.brief,
  ...texts,
  tempo: String(tempoBpm ?? ''),
  instruments: (instruments ?? []).join(', '),
})
