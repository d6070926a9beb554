import type { NewPushSubscription } from '@prelude/contracts'
import { ApiProblem, call } from '../../api/client.ts'
import { localStore } from '../../browser/storage.ts'

/** Web push of this browser. The id of its subscription is kept under the uid, so that a sign-out removes it. */

const keyOf = (uid: string): string => `prelude-push:${uid}`

/** Null where the browser has none: an insecure page, a private window, no service worker. */
async function pushManager(): Promise<PushManager | null> {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return null
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined)
  return registration?.pushManager ?? null
}

/** Whether this browser shows the pushes of this person. */
export const isSubscribed = async (uid: string): Promise<boolean> =>
  localStore.get(keyOf(uid)) !== null && (await (await pushManager())?.getSubscription()) != null

type Subscribed = 'subscribed' | 'denied' | 'unsupported'

/** Asks the browser's permission, so it is to be called in a click. Errors: ApiProblem. */
export async function subscribe(uid: string): Promise<Subscribed> {
  const manager = await pushManager()
  if (!manager) return 'unsupported'
  if ((await Notification.requestPermission()) !== 'granted') return 'denied'
  return (await subscribeWith(manager, await productKey(), uid)) ? 'subscribed' : 'unsupported'
}

/**
 * Subscribes again at each start: browsers replace subscriptions, push services drop them, and the product's key may have
 * changed. One that is still in use keeps its id. Errors: ApiProblem.
 */
export async function renewSubscription(uid: string): Promise<void> {
  if (localStore.get(keyOf(uid)) === null) return
  const manager = await pushManager()
  if (manager && Notification.permission === 'granted') await subscribeWith(manager, await productKey(), uid)
}

const productKey = async (): Promise<string> => (await call('GET /api/push-key')).publicKey

/** False where the browser refuses. Errors: ApiProblem. */
async function subscribeWith(manager: PushManager, publicKey: string, uid: string): Promise<boolean> {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await manager
    .subscribe(options)
    // one with another key, of before the product's key changed
    .catch(async () => {
      await (await manager.getSubscription())?.unsubscribe()
      return manager.subscribe(options)
    })
    .catch(() => null)
  if (!subscription) return false
  const { id } = await call('POST /api/push-subscriptions', {
    body: subscription.toJSON() as NewPushSubscription,
  })
  localStore.set(keyOf(uid), id)
  return true
}

/** Errors: ApiProblem. */
export async function unsubscribe(uid: string): Promise<void> {
  const id = localStore.get(keyOf(uid))
  if (id !== null)
    await call('DELETE /api/push-subscriptions/:id', { params: { id } }).catch((error: unknown) => {
      if (!(error instanceof ApiProblem && error.status === 404)) throw error
    })
  localStore.remove(keyOf(uid))
  await (await (await pushManager())?.getSubscription())?.unsubscribe()
}
