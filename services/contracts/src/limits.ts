/** Limits and sizes of the product. Lengths of text count Unicode code points. */

export const MAX_LYRICS = 10_000
export const MAX_STYLE = 1_000
/** Requests of one person that may wait for credits. */
export const MAX_WAITING_SONGS = 20
/** Checkouts of one person that could still be paid. */
export const MAX_OPEN_CHECKOUTS = 10
/** Closing and exporting an account ask for a sign-in that is not older than this. */
export const FRESH_SIGN_IN_MS = 60 * 60_000
/** Sent by the web app with requests within a minute of real input, which renew the unlock. */
export const RECENT_INPUT_HEADER = 'x-recent-input'
export const MAX_TITLE = 120
/** Of a brief: each text, the address of a reference, how many instruments, and the beats a minute. */
export const MAX_BRIEF_TEXT = 100
export const MAX_REFERENCE = 500
export const MAX_INSTRUMENTS = 12
export const TEMPO_BPM = { minimum: 40, maximum: 240 } as const
/** The tool and model that a take was made with. */
export const MAX_MADE_WITH = 100
/** Of one round of changes, and of each note. */
export const MAX_NOTES = 20
export const MAX_NOTE = 500
/** Links to one song that are not over. */
export const MAX_SHARES = 20
/** What is agreed about a song where nothing else is configured: hours, songs a day, rounds and days. */
export const STANDARD_TERMS = {
  turnaroundHours: 24,
  songsPerDay: 20,
  changesIncluded: 1,
  changesDays: 3,
  messagesDays: 14,
}
/** A message of owner or operator; of a song; and of one side. */
export const MAX_MESSAGE = 2_000
export const MAX_MESSAGES = 200
export const MAX_MESSAGES_OF_SIDE = 150
/** The operator's own note about a song. */
export const MAX_INTERNAL_NOTE = 2_000
/** Why the operator did something, in the operator's words. */
export const MAX_REASON = 500

/** Items of one page of a list. */
export const MAX_PAGE = 100
/** One may hold a title. */
export const MAX_CURSOR = 1_200

export const MAX_AUDIO_BYTES = 200 * 1024 * 1024
/** Uploads up to this go in one request; larger ones are resumable, in chunks that start at this size and double. */
export const RESUMABLE_ABOVE_BYTES = 262_144
export const MAX_CHUNK_BYTES = 32 * 1024 * 1024
/** An upload whose sender sends nothing for so long is ended. */
export const UPLOAD_SILENCE_MS = 60_000
/**
 * Placing an upload ends within this time: two files of 200 MiB over a slow line, and their way into the object store. Songs
 * names no object that was placed longer ago; storage keeps unnamed ones for a day.
 */
export const PLACEMENT_MS = 60 * 60_000

/** A live stream without events has a comment this often; a browser reconnects after three times as long without any bytes. */
export const LIVE_BEAT_MS = 20_000

/** A browser's report of what it measured: its body. */
export const MAX_WEB_VITALS_BYTES = 1_024

/** A browser's report of an error: its body, and of it the stack that is sent and the message that is kept. */
export const MAX_CLIENT_ERROR_BYTES = 4_096
export const MAX_CLIENT_ERROR_STACK = 2_000
export const MAX_CLIENT_ERROR_MESSAGE = 200
