import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Me } from '@prelude/contracts'
import { localStore } from '../browser/storage.ts'
import { ApiProblem, call, isTemporary, reportSignedOut } from './client.ts'
import { clearUserCache, queryClient } from './query-client.ts'

const KEY = 'me'
const queryKey = [KEY]

/** Polling interval of /api/me while the credits service is unavailable. */
const CREDITS_RETRY_MS = 2_500

/** Who is signed in. `me` is null when signed out; `guess` serves the first paint while that is loading. */
export function useMe() {
  const { data, failureCount, fetchStatus, refetch } = useQuery({
    ...meQuery,
    refetchInterval: ({ state }) => (state.data?.credits === null ? CREDITS_RETRY_MS : false),
  })
  const state = data ? 'signed-in' : data === null ? 'signed-out' : 'loading'
  // a visitor keeps the sign-in button while the server is unreachable
  const isUnreachable = failureCount > 0 || fetchStatus === 'paused'
  const guess = wasSignedIn() || !isUnreachable ? 'unknown' : 'visitor'
  // a sign-in in this tab or in another one
  const isSigningIn = state === 'signed-out' && fetchStatus === 'fetching'
  return { me: data ?? null, state, guess, isUnreachable, isSigningIn, retry: () => void refetch() } as const
}

export const meQuery = queryOptions({
  queryKey,
  queryFn: fetchMe,
  // without end: nothing else can be shown, and only a signed-in person has a live stream
  retry: (_count, error) => isTemporary(error),
})

/** Null when nobody is signed in. Errors: ApiProblem. */
export const askMe = async (): Promise<Me | null> =>
  (await call('GET /api/me', { lenient: true }).catch(nullIfRefused)) ?? null

/** The answer of a server that knows no lenient requests yet. */
function nullIfRefused(error: unknown): null {
  if (error instanceof ApiProblem && error.status === 401) return null
  throw error
}

async function fetchMe({ signal }: { signal: AbortSignal }): Promise<Me | null> {
  const before = signedIn()
  const me = await askMe()
  // the person has signed out meanwhile: nothing of the old session may be stored
  signal.throwIfAborted()
  if (before && me === null) reportSignedOut()
  if (before !== undefined && before?.uid !== me?.uid) clearUserCache(KEY)
  storeSignedIn(me?.uid ?? null)
  return me
}

/** The person as the cache has them: undefined before the first answer, null when signed out. */
export const signedIn = (): Me | null | undefined => queryClient.getQueryData<Me | null>(queryKey)

/** Reads again who is signed in, and whether the session is unlocked. */
export const refetchMe = (): Promise<void> => queryClient.invalidateQueries({ queryKey })

/** What the server has just answered is shown at once: during an outage it is asked again without end who is signed in. */
export function setUnlocked(unlocked: boolean): void {
  queryClient.setQueryData<Me | null>(
    queryKey,
    (me) => me && { ...me, operator: { ...me.operator, unlocked } },
  )
  if (!unlocked) queryClient.removeQueries({ queryKey: [OPERATOR] })
  void refetchMe()
}

/** Begins the keys of what only an unlocked session reads. */
export const OPERATOR = 'operator'

/** Forgets the person, in this tab. */
export function setSignedOut(): void {
  // a response in flight may still say "signed in"
  void queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, null)
  clearUserCache(KEY)
  storeSignedIn(null)
}

/** localStorage key of the last signed-in uid; the other tabs receive its changes as `storage` events. */
export const SIGNED_IN_KEY = 'prelude-signed-in'

/** A guess for the first paint: the session may have ended since. */
export const wasSignedIn = (): boolean => localStore.get(SIGNED_IN_KEY) !== null

const storeSignedIn = (uid: string | null): void =>
  void (uid === null ? localStore.remove(SIGNED_IN_KEY) : localStore.set(SIGNED_IN_KEY, uid))
