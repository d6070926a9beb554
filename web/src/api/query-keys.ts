import type { SongFilter } from './pages.ts'

/** The keys of everything that the app keeps of the API. A key begins with what is invalidated together. */
export const queryKeys = {
  me: ['me'],
  sessions: ['sessions'],
  credits: ['credits'],
  debt: ['debt'],
  entries: ['entries'],
  payments: ['payments'],
  paymentMethods: ['payment-methods'],
  checkoutSessions: ['checkout-session'],
  checkoutSession: (id: string | null) => ['checkout-session', id],
  songs: ['songs'],
  songList: (filter: SongFilter) => ['songs', filter],
  song: (id: string) => ['song', id],
  allSongNames: ['song-names'],
  songNames: (ids: readonly string[]) => ['song-names', ids],
  waiting: ['waiting'],
  /** By file (audio/take.ts). */
  waveform: (file: string, revision: number) => ['waveform', file, revision],
  shares: (songId: string) => ['shares', songId],
  allShares: ['shares'],
  sharedSong: (token: string) => ['share', token],
  certificate: (id: string) => ['certificate', id],
  notices: ['notices'],
  preferences: ['preferences'],
  closing: ['closing'],
  legal: (page: string, language: string) => ['legal', page, language],
  /** Lists under /api/operator by their names, and what is kept beside them. */
  operator: (...parts: readonly unknown[]) => ['operator', ...parts],
} as const

/** What does not change, or not so that it matters: it is not read again when the live stream connects. */
const LASTING: ReadonlySet<unknown> = new Set(['waveform', 'song-names'])

export const isLasting = ([name]: readonly unknown[]): boolean => LASTING.has(name)
