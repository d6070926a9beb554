import { type Static, Type } from 'typebox'
import { defineApi, Empty, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'

export const DraftState = OneOf('waiting', 'making', 'ready', 'failed', 'lost')
export type DraftState = Static<typeof DraftState>

/** One file that the music generator makes, or made, for the operator. */
export const Draft = Type.Object({
  id: Type.String(),
  songId: Type.String(),
  /** From 1 in the order of asking, for good. */
  n: Type.Integer({ minimum: 1 }),
  /** Of the song's words when it was asked for. */
  revision: Type.Integer(),
  state: DraftState,
  seed: Nullable(Type.Integer()),
  durationMs: Nullable(Type.Integer()),
  /** Tool and model, as in `made`. */
  with: Nullable(Type.String()),
  /** Why it failed or was lost, for the operator. */
  error: Nullable(Type.String()),
  /** What `fulfil` and `changes` take; null until it is ready. */
  uploadId: Nullable(Type.String()),
  /** By the generator's own figures; null where it does not say. */
  expectedAt: Nullable(Time),
  createdAt: Time,
  readyAt: Nullable(Time),
})
export type Draft = Static<typeof Draft>

const Times = { fromMs: Type.Integer({ minimum: 0 }), toMs: Type.Integer({ minimum: 1 }) }
/** A time of a draft of this song, or of a delivered take, that is made again. */
export const Again = Type.Union([
  Type.Object({ draftId: Type.String(), ...Times }),
  Type.Object({ version: Type.Integer(), take: Type.Integer(), ...Times }),
])
export type Again = Static<typeof Again>

/** `generatorSince`: when a generator came into use. The form of a song from before did not say that one may be used. */
export const DraftList = Type.Object({ ...Page(Draft).properties, generatorSince: Nullable(Time) })

/** The live event `operator-draft`. */
export const DraftRemoved = Type.Object({
  id: Type.String(),
  songId: Type.String(),
  state: OneOf('removed'),
})
export type DraftRemoved = Static<typeof DraftRemoved>

/**
 * The drafts of songs, in storage, which also streams the audio of a ready one: `GET|HEAD /drafts/:id/audio`, as that of a take.
 * Errors of all: generator_off.
 */
export const draftsApi = defineApi({
  /**
   * Asks for `count` drafts, or for a part of another draft or take again; with the same `callId` it answers those that were asked for.
   * Errors: song_not_found, song_closed, charge_pending, song_not_charged, song_not_ready, draft_not_found, draft_not_ready,
   * invalid_request, too_many_drafts.
   */
  make: {
    method: 'POST',
    path: '/songs/:songId/drafts',
    body: Type.Object({ callId: Type.String(), count: Type.Integer(), again: Type.Optional(Again) }),
    reply: Type.Object({ items: Type.Array(Draft) }),
  },
  /** Newest first. Errors: invalid_cursor. */
  list: {
    method: 'GET',
    path: '/songs/:songId/drafts',
    reads: true,
    query: Type.Object(PageQuery),
    reply: DraftList,
  },
  /** Errors: draft_not_found. */
  get: { method: 'GET', path: '/drafts/:id', reads: true, reply: Draft },
  /** Also once more. Errors: draft_not_found. */
  remove: { method: 'POST', path: '/drafts/:id/remove', reply: Empty },
})
