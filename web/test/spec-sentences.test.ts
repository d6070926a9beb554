import './browser.ts'
import { PROBLEMS, SONG_NOT_IN_DATABASE } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { messagesIn } from './catalogues.ts'

const en = await messagesIn('en')

/** The error catalogue of the specification, verbatim: texts of the web app, and those of the server. */

const said = (code: keyof typeof PROBLEMS): string => PROBLEMS[code].detail

const SENTENCES: [situation: string, sentence: string, ...where: [string, ...string[]]][] = [
  ['submit while signed out', 'Please sign in first.', en.signInFirst, said('not_signed_in')],
  [
    'submit with lyrics or style empty',
    'Please provide lyrics and style of song.',
    en.lyricsAndStyle,
    said('lyrics_and_style_required'),
  ],
  ['submit in progress', 'Submitting your demo request...', en.submitting],
  [
    'submit success',
    "Request submitted. Request ID: 0190-ab. We'll notify when ready.",
    en.submitted('0190-ab'),
  ],
  ['submit failure', 'Error submitting request. Try again.', en.submitFailed, said('submit_failed')],
  ['no song selected', 'Select a song ID to upload to.', en.selectSong, said('select_song')],
  [
    'a version file missing',
    'Upload both Version 1 and Version 2 MP3 files.',
    en.bothVersions,
    said('both_versions_required'),
  ],
  ['song missing', 'Song not found in database.', SONG_NOT_IN_DATABASE],
  ['upload failure', 'Upload failed. Please try again.', en.uploadFailed, said('upload_failed')],
  ['upload success', 'Both versions uploaded successfully — song marked as ready.', en.uploaded],
  ['wrong password', 'Wrong admin password.', said('wrong_operator_password')],
  ['right password', 'Admin mode enabled.', en.unlocked],
  ['top-up amount too low', 'Amount must be greater than 24.99', en.amountTooLow, said('amount_too_low')],
]
test('every sentence of the specification is said verbatim', () => {
  expect(SENTENCES.filter(([, sentence, ...where]) => where.some((one) => one !== sentence))).toEqual([])
})
