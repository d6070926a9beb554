/** BroadcastChannel on which the tabs of one browser follow sign-in and sign-out. */
export const SESSION_CHANNEL = 'prelude-session'

export type SessionMessage =
  | { readonly type: 'signed-in' }
  /** `closed`: the uid of an account that is gone for good, and with it what this browser keeps of it. */
  | { readonly type: 'signed-out'; readonly closed?: string }
  | { readonly type: 'sign-in-failed'; readonly code: 'signin_failed' | 'email_not_verified' }
