import { api, ApiProblem } from '../../api/client.ts'
import { localStore } from '../../ui/storage.ts'

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
  const { publicKey } = await api.get<{ publicKey: string }>('/api/push-key')
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await manager
    .subscribe(options)
    // one with another key, of before the product's key changed
    .catch(async () => {
      await (await manager.getSubscription())?.unsubscribe()
      return manager.subscribe(options)
    })
    .catch(() => null)
  if (!subscription) return 'unsupported'
  const { id } = await api.post<{ id: string }>('/api/push-subscriptions', subscription.toJSON())
  localStore.set(keyOf(uid), id)
  return 'subscribed'
}

/** Errors: ApiProblem. */
export async function unsubscribe(uid: string): Promise<void> {
  const id = localStore.get(keyOf(uid))
  if (id !== null)
    await api.delete(`/api/push-subscriptions/${id}`).catch((error: unknown) => {
      if (!(error instanceof ApiProblem && error.status === 404)) throw error
    })
  localStore.remove(keyOf(uid))
  await (await (await pushManager())?.getSubscription())?.unsubscribe()
}
