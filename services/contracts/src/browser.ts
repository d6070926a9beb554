/** BroadcastChannel on which the tabs of one browser follow sign-in and sign-out. */
export const SESSION_CHANNEL = 'prelude-session'

export type SessionMessage =
  | { readonly type: 'signed-in' }
  /** The person wanted it, so that this browser forgets what it keeps of this uid: drafts above all. */
  | { readonly type: 'signed-out'; readonly uid: string }
  | { readonly type: 'sign-in-failed'; readonly code: 'signin_failed' | 'email_not_verified' }

/** Routes of the web app; `*` is any other path. */
export const WEB_ROUTES = [
  '/',
  '/payment-success',
  '/payment-failed',
  '/statement',
  '/your-data',
  '/sessions',
  '/ops',
  '/s/:token',
  '*',
] as const
export type WebRoute = (typeof WEB_ROUTES)[number]

/** The route of a path, also with a slash at its end. */
export const webRoute = (pathname: string): WebRoute =>
  sharedToken(pathname) === null ? plainRoute(pathname) : '/s/:token'

/** The token of a link to a song. */
export const sharedToken = (pathname: string): string | null =>
  /^\/s\/([^/]+)\/?$/.exec(pathname)?.[1] ?? null

const plainRoute = (pathname: string): WebRoute =>
  WEB_ROUTES.find((route) => route === pathname || `${route}/` === pathname) ?? '*'
