import { isPageHeld } from '../state/held-page.ts'
import { sessionStore } from '../browser/storage.ts'

/**
 * Registers the service worker for signed-in people and the installed app; visitors have nothing to do offline. `titles` are
 * those of its notifications, by kind.
 */
export function registerServiceWorker(titles: Readonly<Record<'ready' | 'message', string>>): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const register = async (): Promise<void> => {
    await navigator.serviceWorker.register('/sw.js')
    const { active } = await navigator.serviceWorker.ready
    active?.postMessage({ titles })
  }
  // where the browser refuses (private windows), the app works without
  whenIdle(() => void register().catch(() => {}))
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
