/** BroadcastChannel on which the tabs of one browser follow sign-in and sign-out. */
export const SESSION_CHANNEL = 'prelude-session'

export type SessionMessage =
  | { readonly type: 'signed-in' }
  /** The person asked for it. Its outcome follows: "signed-out", or "signed-in" when it failed. */
  | { readonly type: 'signing-out' }
  /** The person wanted it, so that this browser forgets what it keeps of this uid: drafts above all. */
  | { readonly type: 'signed-out'; readonly uid: string }
  | { readonly type: 'sign-in-failed'; readonly code: 'signin_failed' | 'email_not_verified' }

/** The id of the element with the SharedSong as JSON in the page of a link. */
export const SHARED_SONG_ELEMENT = 'shared-song'

/** The id of the element with the messages about a song, on its page and at the desk. */
export const THREAD_ELEMENT = 'messages'
export const threadAddress = (songId: string): string => `/songs/${songId}#${THREAD_ELEMENT}`

/** The pages with legal texts of the operator; each has a setting that names its file, and is there only when that is set. */
export const LEGAL_PAGES = ['terms', 'privacy', 'imprint'] as const
export type LegalPage = (typeof LEGAL_PAGES)[number]

/** Routes of the web app; `*` is any other path. */
export const WEB_ROUTES = [
  '/',
  '/payment-success',
  '/payment-failed',
  '/statement',
  '/your-data',
  '/preferences',
  '/sessions',
  '/operator',
  '/operator/money',
  '/ops',
  '/s/:token',
  '/songs/:id',
  '/verify/:id',
  '/terms',
  '/privacy',
  '/imprint',
  '*',
] as const
export type WebRoute = (typeof WEB_ROUTES)[number]

const PATTERNS = WEB_ROUTES.filter((route) => route !== '*').map(
  (route) => [route, new RegExp(`^${route.replace(/:\w+/, '[^/]+')}/?$`)] as const,
)

/** The route of a path, also with a slash at its end. */
export const webRoute = (pathname: string): WebRoute =>
  PATTERNS.find(([, pattern]) => pattern.test(pathname))?.[0] ?? '*'
