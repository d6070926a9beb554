import { call } from './client.ts'
import { setSignedOut } from './me.ts'
import { forget, whileLeaving } from './session.ts'

/**
 * Also removes the person's data from this browser; a session that expires leaves the drafts for the next sign-in. Errors:
 * ApiProblem.
 */
export const signOut = (uid: string): Promise<void> => leaveBy(uid, () => call('POST /api/auth/logout'))

/**
 * Closes the account with its sessions and removes its data from this browser. The data goes before `leave` navigates,
 * because the next page would restore it. `confirmed` is the e-mail address typed and the balance shown. Errors: ApiProblem.
 */
export const closeAccount = (
  uid: string,
  confirmed: { email: string; credits: number },
  leave: () => void,
): Promise<void> => leaveBy(uid, () => call('POST /api/account/close', { body: confirmed }), leave)

const leaveBy = (uid: string, endSession: () => Promise<unknown>, leave?: () => void): Promise<void> =>
  whileLeaving(async () => {
    await endSession()
    forget(uid)
    endPushes()
    setSignedOut()
    // components are notified in a task of their own: before it the next page would load what belongs to the person
    await new Promise((resolve) => setTimeout(resolve))
    leave?.()
  })

/** Unsubscribes this browser from web push. The server deletes the subscription when its next push is answered 404 or 410. */
const endPushes = (): void =>
  void navigator.serviceWorker
    ?.getRegistration()
    .then((registration) => registration?.pushManager?.getSubscription())
    .then((subscription) => subscription?.unsubscribe())
    .catch(() => {})
