import { SESSION_CHANNEL, type SessionMessage } from '@prelude/contracts'
import { messages } from '../messages.ts'
import { localStore, sessionStore } from '../ui/storage.ts'
import { api, onLocked, onSignedOut } from './client.ts'
import {
  clearUserCache,
  queryClient,
  invalidate,
  refetchAll,
  signedIn,
  storeSignedIn,
  SIGNED_IN_KEY,
} from './queries.ts'
import { queryKeys } from './query-keys.ts'

/** The gateway's sign-in page posts to this channel too. */
const channel = new BroadcastChannel(SESSION_CHANNEL)

const signInErrorText = (code: string): string =>
  code === 'email_not_verified' ? messages.emailNotVerified : messages.signInFailed

/** Whether this tab opened the sign-in popup: only this tab shows the error. */
let hasPopup = false

/** Opens the identity provider in a popup, or redirects when the popup is blocked. Must be called from a click handler. */
export function signIn(): void {
  const returnTo = encodeURIComponent(location.pathname + location.search)
  const popup = window.open(
    `/api/auth/login?mode=popup&returnTo=${returnTo}`,
    'prelude-sign-in',
    'width=480,height=680',
  )
  hasPopup = popup !== null
  if (!popup) location.assign(`/api/auth/login?returnTo=${returnTo}`)
}

/** Suppresses the "signed out" message of a request under way while this tab signs out or closes the account. */
let isLeaving = false

/**
 * Also removes the person's data from this browser; a session that expires leaves the drafts for the next sign-in. Errors:
 * ApiProblem.
 */
export async function signOut(uid: string): Promise<void> {
  isLeaving = true
  try {
    await api.post('/api/auth/logout')
    clearStorage(uid)
    endPushes()
    channel.postMessage({ type: 'signed-out', uid } satisfies SessionMessage)
    setSignedOut()
  } finally {
    isLeaving = false
  }
}

/**
 * Closes the account with its sessions and removes its data from this browser. The data goes before `leave` navigates,
 * because the next page would restore it. `confirmed` is the e-mail address typed and the balance shown.
 */
export async function closeAccount(
  uid: string,
  confirmed: { email: string; credits: number },
  leave: () => void | Promise<void>,
): Promise<void> {
  isLeaving = true
  try {
    await api.post('/api/account/close', confirmed)
    clearStorage(uid)
    endPushes()
    channel.postMessage({ type: 'signed-out', uid } satisfies SessionMessage)
    await leave()
    setSignedOut()
  } finally {
    isLeaving = false
  }
}

/** Removes the person's stored data: its keys end with the uid. */
function clearStorage(uid: string): void {
  for (const store of [sessionStore, localStore])
    for (const key of store.keys()) if (key.endsWith(`:${uid}`)) store.remove(key)
}

/** Whoever uses this browser next reads nothing of this person. The server learns it with its next push. */
const endPushes = (): void =>
  void navigator.serviceWorker
    ?.getRegistration()
    .then((registration) => registration?.pushManager?.getSubscription())
    .then((subscription) => subscription?.unsubscribe())
    .catch(() => {})

function setSignedOut(): void {
  // a response in flight may still say "signed in"
  void queryClient.cancelQueries({ queryKey: queryKeys.me })
  queryClient.setQueryData(queryKeys.me, null)
  clearUserCache()
  storeSignedIn(null)
}

/**
 * Applies sign-in and sign-out of other tabs, and the end of the session, to this tab. `alert` shows a message, with what it
 * means for the person. Call once.
 */
export function syncSession(alert: (text: string, detail?: string) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<SessionMessage>) => {
    if (data.type === 'signed-in') refetchAll()
    if (data.type === 'signed-out') {
      clearStorage(data.uid)
      setSignedOut()
    }
    if (data.type === 'sign-in-failed' && hasPopup) alert(signInErrorText(data.code))
    if (data.type !== 'signed-out') hasPopup = false
  })
  // changes that another tab detected without a message: a redirect sign-in, an ended session
  addEventListener('storage', ({ key }) => {
    if (key === SIGNED_IN_KEY) invalidate({ queryKey: queryKeys.me })
  })
  onSignedOut(() => {
    // for a visitor the component that called shows the error
    const me = signedIn()
    if (isLeaving || !me) return
    const hasDraft = sessionStore.keys().some((key) => key.endsWith(`:${me.uid}`))
    alert(messages.signInFirst, hasDraft ? messages.wordsKept : undefined)
    setSignedOut()
  })
  onLocked(() => invalidate({ queryKey: queryKeys.me }))
}

/** Removes the error of a failed redirect sign-in (`?signin=<code>`) from the URL. Returns its sentence; null without one. */
export function takeSignInFailure(): string | null {
  const url = new URL(location.href)
  const code = url.searchParams.get('signin')
  if (code === null) return null
  url.searchParams.delete('signin')
  history.replaceState(history.state, '', url)
  return signInErrorText(code)
}
