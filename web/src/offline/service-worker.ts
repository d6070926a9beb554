import { isPageHeld } from '../state/held-page.ts'
import { sessionStore } from '../browser/storage.ts'
import { navigate } from '../router.tsx'

/** Registers the service worker for signed-in people and the installed app; visitors have nothing to do offline. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // where the browser refuses (private windows), the app works without
  whenIdle(() => void navigator.serviceWorker.register('/sw.js').catch(() => {}))
}

/** Gives the service worker the titles of its notifications, by kind, once it is active. */
export async function nameNotifications(
  titles: Readonly<Record<'ready' | 'message', string>>,
): Promise<void> {
  const worker = await navigator.serviceWorker?.ready
  worker?.active?.postMessage({ titles })
}

/** Goes to the part of this page that a notification is about, when the person opens it. Call once. */
export function followNotifications(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ open: string }>) =>
    navigate(data.open),
  )
}

/** The first render comes first. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: 10_000 })
  else setTimeout(work, 3_000)
}

/** Whether the app runs from the home screen. */
export const isInstalled = (): boolean => matchMedia('(display-mode: standalone)').matches

const STORAGE_KEY = 'prelude-reloaded'
const RELOAD_INTERVAL_MS = 60_000

/**
 * Reloads the page when a lazy chunk is missing because a new build replaced it; at most once a minute, so that a chunk
 * which is really gone does not loop. Form drafts survive in storage; for chosen files and uploads the page stays.
 */
export function reloadOnNewBuild(): void {
  addEventListener('vite:preloadError', () => {
    const reloadedAt = Number(sessionStore.get(STORAGE_KEY) ?? 0)
    if (!navigator.onLine || isPageHeld() || Date.now() - reloadedAt < RELOAD_INTERVAL_MS) return
    sessionStore.set(STORAGE_KEY, String(Date.now()))
    location.reload()
  })
}
