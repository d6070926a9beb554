import { type Static, Type } from 'typebox'
import { Made } from './made.ts'
import { defineApi, Nullable, OneOf, Time } from './operation.ts'
import { Take } from './songs.ts'

/** What a certificate says of one file. */
export const CertifiedFile = Type.Object({
  ...Type.Pick(Take, ['version', 'take', 'sha256', 'durationMs']).properties,
  /** Absent while songs is of version 0.1.0. */
  made: Type.Optional(Nullable(Made)),
})
export type CertifiedFile = Static<typeof CertifiedFile>

/** What anyone who has its id reads of a certificate. */
export const Certificate = Type.Object({
  id: Type.String(),
  issuedAt: Time,
  /** The song's title, or its style; null when its owner's account was closed. */
  title: Nullable(Type.String()),
  files: Type.Array(CertifiedFile),
  valid: Type.Boolean(),
  /** Why it is not valid. */
  reason: Nullable(OneOf('replaced', 'refunded')),
  /** The certificate of the takes that came next. */
  replacedBy: Nullable(Type.String()),
})
export type Certificate = Static<typeof Certificate>

/** What the songs service answers about certificates. */
export const certificatesApi = defineApi({
  /** Errors: certificate_not_found. */
  get: { method: 'GET', path: '/certificates/:id', reply: Certificate },
  /** Those of a song, the oldest first. Errors: song_not_found for what is no id. */
  ofSong: {
    method: 'GET',
    path: '/songs/:id/certificates',
    reply: Type.Object({ items: Type.Array(Certificate) }),
  },
})
