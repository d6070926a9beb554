import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time } from './operation.ts'

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

/** A time of a draft of this song, or of a delivered take, that is made again. */
export const Again = Type.Union([
  Type.Object({ draftId: Type.String(), fromMs: Type.Integer(), toMs: Type.Integer() }),
  Type.Object({
    version: Type.Integer(),
    take: Type.Integer(),
    fromMs: Type.Integer(),
    toMs: Type.Integer(),
  }),
])
export type Again = Static<typeof Again>

/** The live event `operator-draft`. */
export const DraftRemoved = Type.Object({
  id: Type.String(),
  songId: Type.String(),
  state: OneOf('removed'),
})
export type DraftRemoved = Static<typeof DraftRemoved>
