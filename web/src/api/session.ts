import { SESSION_CHANNEL, type SessionMessage } from '@prelude/contracts'
import { messages } from '../messages.ts'
import { toast } from '../ui/toast.tsx'
import { api, onLocked, onSignedOut } from './client.ts'
import { forgetPerson, queries, readAgain, rememberSignedIn, SIGNED_IN } from './queries.ts'

/** The name is the gateway's too: its sign-in page speaks on it (SESSION_CHANNEL in the contracts). */
const channel = new BroadcastChannel(SESSION_CHANNEL)

const failureOf = (code: string): string =>
  code === 'email_not_verified' ? messages.emailNotVerified : messages.signInFailed

/** Whether this tab began a sign-in in a popup: it alone shows how that failed. */
let isSigningIn = false

/** Opens the provider in a popup; where that is blocked, goes there and comes back. Call it from a click. */
export function signIn(): void {
  const returnTo = encodeURIComponent(location.pathname + location.search)
  const popup = window.open(
    `/api/auth/login?mode=popup&returnTo=${returnTo}`,
    'prelude-sign-in',
    'width=480,height=680',
  )
  isSigningIn = popup !== null
  if (!popup) location.assign(`/api/auth/login?returnTo=${returnTo}`)
}

export async function signOut(): Promise<void> {
  const done = toast.ifSlow(messages.loading)
  try {
    await api.post('/api/auth/logout')
    channel.postMessage({ type: 'signed-out' } satisfies SessionMessage)
    becomeSignedOut()
  } catch {
    toast.alert(messages.signOutFailed)
  } finally {
    done()
  }
}

/** Whether this tab closes the account: that its session ends then is no news. */
let isClosing = false

/**
 * Closes the account, and its sessions with it: nothing of it stays in this browser either. What is kept is forgotten
 * before the page leaves for another, which would find it and keep it again. `confirmed` is what the person was shown.
 */
export async function closeAccount(
  uid: string,
  confirmed: { email: string; credits: number },
  leave: () => void | Promise<void>,
): Promise<void> {
  isClosing = true
  try {
    await api.post('/api/account/close', confirmed)
    forgetKept(uid)
    channel.postMessage({ type: 'signed-out', closed: uid } satisfies SessionMessage)
    await leave()
    becomeSignedOut()
  } finally {
    isClosing = false
  }
}

/** What a tab keeps of a person bears their uid at the end of its name. */
function forgetKept(uid: string): void {
  for (const kept of [sessionStorage, localStorage])
    for (const key of Object.keys(kept)) if (key.endsWith(`:${uid}`)) kept.removeItem(key)
}

function becomeSignedOut(): void {
  // an answer that is still under way may be of the time before
  void queries.cancelQueries({ queryKey: ['me'] })
  queries.setQueryData(['me'], null)
  forgetPerson()
  rememberSignedIn(null)
}

/** Follows sign-in and sign-out of the other tabs, and a session that ends. Call once. */
export function followSession(): void {
  channel.addEventListener('message', ({ data }: MessageEvent<SessionMessage>) => {
    if (data.type === 'signed-in') readAgain({ queryKey: ['me'] })
    if (data.type === 'signed-out') {
      if (data.closed !== undefined) forgetKept(data.closed)
      becomeSignedOut()
    }
    if (data.type === 'sign-in-failed' && isSigningIn) toast.alert(failureOf(data.code))
    if (data.type !== 'signed-out') isSigningIn = false
  })
  // what another tab found out on its own: a sign-in without a popup, a session that ended
  addEventListener('storage', ({ key }) => {
    if (key === SIGNED_IN) readAgain({ queryKey: ['me'] })
  })
  onSignedOut(() => {
    // a visitor who asked for what is not theirs reads the answer where they asked
    if (isClosing || !queries.getQueryData(['me'])) return
    toast.alert(messages.signInFirst)
    becomeSignedOut()
  })
  onLocked(() => readAgain({ queryKey: ['me'] }))
}

/** Reads and removes `?signin=<code>`, with which a refused redirect sign-in comes back. */
export function showSignInFailure(): void {
  const url = new URL(location.href)
  const code = url.searchParams.get('signin')
  if (code === null) return
  url.searchParams.delete('signin')
  history.replaceState(history.state, '', url)
  toast.alert(failureOf(code))
}
