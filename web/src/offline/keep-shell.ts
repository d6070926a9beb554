/** Only for those who come back to the app: visitors have nothing to do here without a network. */
export function keepShell(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // the browser's own work comes first
  const later = (act: () => void): void => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(act, { timeout: 10_000 })
    else setTimeout(act, 3_000)
  }
  later(() => {
    // where the browser refuses (private windows), the app works as it does without
    navigator.serviceWorker.register('/sw.js').catch(() => {})
  })
}

/** Whether the app was opened from the home screen. */
export const isInstalled = (): boolean => matchMedia('(display-mode: standalone)').matches

const RELOADED = 'prelude-reloaded'
const AGAIN_AFTER_MS = 60_000

/**
 * A part of the app that is read late may be gone with the build it belongs to: the page is read again, once. What was typed
 * is kept by its form.
 */
export function followBuilds(): void {
  addEventListener('vite:preloadError', () => {
    const before = Number(sessionStorage.getItem(RELOADED) ?? 0)
    if (!navigator.onLine || Date.now() - before < AGAIN_AFTER_MS) return
    sessionStorage.setItem(RELOADED, String(Date.now()))
    location.reload()
  })
}
