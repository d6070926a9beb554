/** BroadcastChannel on which the tabs of one browser follow sign-in and sign-out. */
export const SESSION_CHANNEL = 'prelude-session'

export type SessionMessage =
  | { readonly type: 'signed-in' }
  /** The person wanted it, so that this browser forgets what it keeps of this uid: drafts above all. */
  | { readonly type: 'signed-out'; readonly uid: string }
  | { readonly type: 'sign-in-failed'; readonly code: 'signin_failed' | 'email_not_verified' }
