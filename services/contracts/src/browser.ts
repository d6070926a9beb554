/** BroadcastChannel on which the tabs of one browser follow sign-in and sign-out. */
export const SESSION_CHANNEL = 'prelude-session'

export type SessionMessage =
  | { readonly type: 'signed-in' }
  | { readonly type: 'signed-out' }
  | { readonly type: 'sign-in-failed'; readonly code: 'signin_failed' | 'email_not_verified' }
