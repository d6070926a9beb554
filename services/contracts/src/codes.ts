import {
  MAX_AUDIO_BYTES,
  MAX_LYRICS,
  MAX_MESSAGES,
  MAX_MESSAGES_OF_SIDE,
  MAX_OPEN_CHECKOUTS,
  MAX_SHARES,
  MAX_STYLE,
  MAX_WAITING_SONGS,
} from './limits.ts'
import { fromCents, TOP_UP_ABOVE_CENTS, TOP_UP_MAX_CENTS } from './money.ts'

/**
 * Every refusal of the product: its stable code, its kind (which decides the HTTP status), and the very
 * sentence a person reads. Sentences that `web/test/spec-sentences.test.ts` lists stand to the letter.
 */
export const KIND_STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  uri_too_long: 414,
  unsupported: 415,
  unprocessable: 422,
  limited: 429,
  headers_too_large: 431,
  internal: 500,
  off: 501,
  upstream: 502,
  unavailable: 503,
} as const

export type Kind = keyof typeof KIND_STATUS

const of = (kind: Kind, detail: string) => ({ kind, detail })
const grouped = (count: number): string => count.toLocaleString('en')

export const PROBLEMS = {
  // anything
  invalid_request: of('invalid', 'The request is not valid.'),
  malformed_json: of('invalid', 'The body is not valid JSON.'),
  invalid_text: of('invalid', 'The text holds characters that cannot be stored.'),
  invalid_cursor: of('invalid', 'The cursor is not one that we gave.'),
  invalid_idempotency_key: of('invalid', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.'),
  idempotency_key_reused: of('unprocessable', 'This Idempotency-Key was used for another request.'),
  request_in_progress: of('conflict', 'The first request with this Idempotency-Key is still running.'),
  unsupported_media_type: of('unsupported', 'This content type is not accepted here.'),
  body_too_large: of('too_large', 'The body is too large.'),
  request_timeout: of('timeout', 'The request did not arrive in time.'),
  not_found: of('not_found', 'There is nothing here.'),
  method_not_allowed: of('method_not_allowed', 'This method is not allowed here.'),
  uri_too_long: of('uri_too_long', 'The address is too long.'),
  headers_too_large: of('headers_too_large', 'The headers are too large.'),
  too_many_requests: of('limited', 'Too many requests. Please wait a moment and try again.'),
  cross_site_request: of('forbidden', 'Requests from other sites are refused.'),
  internal_error: of('internal', 'Something went wrong on our side. Please try again.'),
  unavailable: of('unavailable', 'This is not available at the moment. Please try again soon.'),
  /** Between services only: a person reads `unavailable`. */
  clock_skew: of('unavailable', 'The clocks of two services differ by more than a minute.'),
  // identity
  not_signed_in: of('unauthenticated', 'Please sign in first.'),
  sign_in_again: of('forbidden', 'Please sign in again to do this: your last sign-in was a while ago.'),
  signin_failed: of('unauthenticated', 'Signing in did not work. Please try again.'),
  email_not_verified: of(
    'forbidden',
    'Your account provider does not confirm your e-mail address. Verify it there and sign in again.',
  ),
  user_not_found: of('not_found', 'Nobody with this address has signed in yet.'),
  ambiguous_account: of('conflict', 'More than one account has this e-mail address. Use the uid instead.'),
  wrong_confirmation: of('invalid', 'Type the e-mail address of your account to close it.'),
  balance_changed: of(
    'conflict',
    'Your credits changed meanwhile. Look at them before you close your account.',
  ),
  account_in_debt: of(
    'conflict',
    'You owe credits for a payment that was taken back. Settle them, or write to us, before you close your account.',
  ),
  payment_under_way: of(
    'conflict',
    'A payment of yours is still under way. Close your account once it is settled, or write to us.',
  ),
  operator_stays: of('conflict', 'The account of the operator cannot be closed.'),
  // songs
  lyrics_and_style_required: of('invalid', 'Please provide lyrics and style of song.'),
  text_too_long: of(
    'invalid',
    `Lyrics can have at most ${grouped(MAX_LYRICS)} characters and the style at most ${grouped(MAX_STYLE)}.`,
  ),
  too_many_waiting: of('conflict', `Top up first: ${MAX_WAITING_SONGS} requests are waiting for credits.`),
  submit_failed: of('unavailable', 'Error submitting request. Try again.'),
  song_not_found: of('not_found', 'Song not found.'),
  song_already_ready: of('conflict', 'This song is ready already.'),
  song_not_ready: of('conflict', 'This song is not ready yet.'),
  song_not_charged: of('conflict', 'This song is not charged.'),
  charge_pending: of('conflict', 'The charge is still being decided. Try again in a moment.'),
  song_started: of('conflict', 'This song is in the studio already.'),
  song_closed: of('conflict', 'This request was cancelled or declined.'),
  song_not_pending: of('conflict', 'This song is not waiting to be made.'),
  changes_used: of('conflict', 'The changes that are included were asked for already.'),
  changes_closed: of('conflict', 'The time to ask for changes is over.'),
  changes_asked: of('conflict', 'Changes are being made. You can accept once they are there.'),
  changes_not_asked: of('conflict', 'No changes are asked for.'),
  version_required: of('invalid', 'Upload at least one of Version 1 and Version 2.'),
  waveform_not_ready: of('not_found', 'The waveform is not known yet.'),
  // messages about a song
  messages_closed: of('conflict', 'Messages about this song are closed.'),
  too_many_messages: of(
    'conflict',
    `A song has at most ${MAX_MESSAGES} messages, ${MAX_MESSAGES_OF_SIDE} of one side.`,
  ),
  // links to songs
  too_many_shares: of('conflict', `This song has ${MAX_SHARES} links. End one of them first.`),
  share_not_found: of('not_found', 'There is no such link.'),
  share_ended: of('gone', 'This link has ended.'),
  download_not_allowed: of('forbidden', 'This song may be heard, but not downloaded.'),
  certificate_not_found: of('not_found', 'There is no such licence.'),
  // credits and payments
  insufficient_credits: of('conflict', 'The balance is too low for this.'),
  invalid_amount: of('invalid', 'The amount must be a number with at most two decimals.'),
  amount_too_low: of('invalid', `Amount must be greater than ${fromCents(TOP_UP_ABOVE_CENTS)}`),
  amount_too_high: of('invalid', `Amount must be ${fromCents(TOP_UP_MAX_CENTS)} or less`),
  amount_mismatch: of('invalid', 'The two amounts of this request differ.'),
  not_your_account: of('forbidden', 'This is not your account.'),
  checkout_unavailable: of('upstream', 'The payment page cannot be opened right now. Please try again.'),
  too_many_checkouts: of(
    'conflict',
    `${MAX_OPEN_CHECKOUTS} payments are open already. Continue one of them in your statement, or wait a day.`,
  ),
  alternate_provider_off: of('off', 'This payment provider is not in use.'),
  payment_not_found: of('not_found', 'Payment not found.'),
  session_id_required: of('invalid', 'session_id is required.'),
  session_not_found: of('not_found', 'Payment session not found.'),
  bad_signature: of('invalid', 'The signature is missing, wrong or too old.'),
  transfer_already_open: of('conflict', 'You have already told us about a transfer. We are checking it.'),
  transfer_already_settled: of('conflict', 'This transfer has been settled already.'),
  transfer_not_found: of('not_found', 'Transfer not found.'),
  not_offered: of('forbidden', 'Bank transfer is offered only in Nigeria.'),
  not_paid: of('conflict', 'This payment has not been paid.'),
  refund_under_way: of(
    'conflict',
    'Another refund of this payment has no answer yet. Repeat that sum, or try again in ten minutes.',
  ),
  refund_too_high: of('conflict', 'That is more than what is left of this payment.'),
  // operator
  operator_only: of('forbidden', 'Only the operator can do this.'),
  operator_locked: of('forbidden', 'Unlock with the admin password first.'),
  operator_password_required: of('forbidden', 'An amount of this size also needs the admin password.'),
  wrong_operator_password: of('forbidden', 'Wrong admin password.'),
  select_song: of('invalid', 'Select a song ID to upload to.'),
  both_versions_required: of('invalid', 'Upload both Version 1 and Version 2 MP3 files.'),
  file_required: of('invalid', 'Choose an audio file.'),
  file_too_large: of('too_large', `An audio file can be at most ${MAX_AUDIO_BYTES / 2 ** 20} MiB.`),
  not_audio: of(
    'unsupported',
    'This is not an audio file we can use: MP3, WAV, FLAC, M4A or OGG, whole, from one second to an hour and a half long.',
  ),
  fulfilment_in_progress: of('conflict', 'Another upload for this song is running.'),
  upload_not_found: of('not_found', 'Upload not found.'),
  upload_not_finished: of('conflict', 'This upload is not finished yet.'),
  // drafts
  generator_off: of('off', 'No music generator is in use.'),
  draft_not_found: of('not_found', 'Draft not found.'),
  draft_not_ready: of('conflict', 'This draft is not ready yet.'),
  too_many_drafts: of('conflict', 'This song has as many drafts as it may. Remove one first.'),
  dead_letter_not_found: of('not_found', 'Dead letter not found.'),
  dead_letter_settled: of('conflict', 'This event has been settled already.'),
  dead_letter_behind: of('conflict', 'An earlier event of this key has to be settled first.'),
  mail_not_found: of('not_found', 'Mail not found.'),
  upload_failed: of('upstream', 'Upload failed. Please try again.'),
} as const satisfies Record<string, { kind: Kind; detail: string }>

export type Code = keyof typeof PROBLEMS

/** The detail of `song_not_found` where the operator works on the song. */
export const SONG_NOT_IN_DATABASE = 'Song not found in database.'
