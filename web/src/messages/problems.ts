import type { Code } from '@prelude/contracts'

/** Texts of the API's errors, by code, in the catalogues of the pages that show them. A missing code is a type error. */
type Problems<T extends Code> = Readonly<Record<T, string>>

type VisitorCode =
  | 'invalid_request'
  | 'request_timeout'
  | 'not_found'
  | 'too_many_requests'
  | 'internal_error'
  | 'unavailable'
  | 'not_signed_in'
  | 'signin_failed'
  | 'email_not_verified'
  | 'share_not_found'
  | 'share_ended'
  | 'certificate_not_found'
  | 'download_not_allowed'
  | 'waveform_not_ready'

type OperatorCode =
  | 'user_not_found'
  | 'ambiguous_account'
  | 'song_already_ready'
  | 'song_not_charged'
  | 'song_not_pending'
  | 'changes_not_asked'
  | 'version_required'
  | 'not_paid'
  | 'refund_under_way'
  | 'refund_too_high'
  | 'transfer_already_settled'
  | 'transfer_not_found'
  | `operator_${'only' | 'locked' | 'password_required'}`
  | 'wrong_operator_password'
  | 'select_song'
  | 'both_versions_required'
  | 'file_required'
  | 'file_too_large'
  | 'not_audio'
  | 'fulfilment_in_progress'
  | `upload_${'failed' | 'not_found' | 'not_finished'}`
  | 'generator_off'
  | `draft_${'not_found' | 'not_ready'}`
  | 'too_many_drafts'
  | `dead_letter_${'not_found' | 'settled' | 'behind'}`
  | 'mail_not_found'

export type VisitorProblems = Problems<VisitorCode>
export type OperatorProblems = Problems<OperatorCode>
export type PersonProblems = Problems<Exclude<Code, VisitorCode | OperatorCode>>
