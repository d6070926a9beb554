import { SESSION_CHANNEL, type SessionMessage } from '@prelude/contracts'
import { messages } from '../messages.ts'
import { localStore, sessionStore } from '../browser/storage.ts'
import { onLocked, onSignedOut } from './client.ts'
import { askMe, meQuery, setSignedOut, signedIn, SIGNED_IN_KEY } from './me.ts'
import { invalidate, refetchAll } from './query-client.ts'

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

/** While the person signs out, in any tab: the end of the session is then no news, and leaves nothing to come back to. */
let leavingUntil = 0
/** A request is given up before; a tab that is closed meanwhile says no more. */
const LEAVING_MS = 35_000

const post = (message: SessionMessage): void => channel.postMessage(message)

/** Does what ends the session at the person's wish. Errors: those of `end`. */
export async function whileLeaving(end: () => Promise<void>): Promise<void> {
  leavingUntil = Date.now() + LEAVING_MS
  post({ type: 'signing-out' })
  try {
    await end()
  } catch (error) {
    post({ type: 'signed-in' })
    throw error
  } finally {
    leavingUntil = 0
  }
}

/** Removes what this browser keeps of the person, in all tabs. */
export function forget(uid: string): void {
  clearStorage(uid)
  post({ type: 'signed-out', uid })
}

/** Begins the keys of what the album shows: a filter is no draft. */
export const FILTER_KEY = 'prelude-filter'

/** Removes the person's stored data: its keys end with the uid. */
function clearStorage(uid: string): void {
  for (const store of [sessionStore, localStore])
    for (const key of store.keys()) if (key.endsWith(`:${uid}`)) store.remove(key)
}

/**
 * Applies sign-in and sign-out of other tabs, and the end of the session, to this tab. `alert` shows a message, with what it
 * means for the person. Call once.
 */
export function syncSession(alert: (text: string, detail?: string) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<SessionMessage>) => {
    leavingUntil = data.type === 'signing-out' ? Date.now() + LEAVING_MS : 0
    if (data.type === 'signed-in') refetchAll()
    if (data.type === 'signed-out') {
      clearStorage(data.uid)
      setSignedOut()
    }
    if (data.type === 'sign-in-failed' && hasPopup) alert(signInErrorText(data.code))
    if (data.type === 'signed-in' || data.type === 'sign-in-failed') hasPopup = false
  })
  // changes that another tab detected without a message: a redirect sign-in, an ended session
  addEventListener('storage', ({ key }) => {
    if (key === SIGNED_IN_KEY) invalidate(meQuery)
  })
  let isAsking = false
  const confirmEnd = async ({ uid }: { uid: string }): Promise<void> => {
    isAsking = true
    const isOver = await hasEnded()
    isAsking = false
    if (!isOver) return refetchAll()
    const now = signedIn()
    if (now && now.uid !== uid) return // somebody else has signed in meanwhile
    const hasDraft = sessionStore.keys().some((key) => key.endsWith(`:${uid}`) && !key.startsWith(FILTER_KEY))
    alert(messages.signInFirst, hasDraft ? messages.wordsKept : undefined)
    setSignedOut()
  }
  onSignedOut(() => {
    const me = signedIn()
    // for a visitor the component that called shows the error
    if (!me || isAsking) return
    // the end of the live stream may say so before the answer to the sign-out does
    if (Date.now() < leavingUntil) clearStorage(me.uid)
    else void confirmEnd(me)
  })
  onLocked(() => invalidate(meQuery))
}

/**
 * An unlock and a new sign-in replace the session: a request that was sent before with the old cookie is refused, and may be
 * answered after the new one. So one refusal is not believed.
 */
const hasEnded = (): Promise<boolean> =>
  askMe().then(
    (me) => me === null,
    () => false,
  )

/** Removes the error of a failed redirect sign-in (`?signin=<code>`) from the URL. Returns its sentence; null without one. */
export function takeSignInFailure(): string | null {
  const url = new URL(location.href)
  const code = url.searchParams.get('signin')
  if (code === null) return null
  url.searchParams.delete('signin')
  history.replaceState(history.state, '', url)
  return signInErrorText(code)
}
