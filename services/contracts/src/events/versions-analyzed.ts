import { Type } from 'typebox'
import { Nullable } from '../api/operation.ts'
import { defineEvent, Id } from './event.ts'

export const VersionsAnalyzed = defineEvent(
  'prelude.storage',
  'VersionsAnalyzed',
  { for: ['songs'] },
  'Durations (ms) and loudness (LUFS, null where unknown) of a song version 1 and 2 are known.',
  Type.Object({
    songId: Id,
    uid: Id,
    versions: Type.Array(Type.Object({ durationMs: Type.Integer(), loudnessLufs: Nullable(Type.Number()) })),
  }),
)
