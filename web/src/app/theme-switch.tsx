import { Moon, Sun } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { messages } from '../messages.ts'
import { IconButton } from '../ui/button.tsx'
import { localStore } from '../browser/storage.ts'

/** Switches light and dark. The choice is stored in this browser; the default is the system's. */
export function ThemeSwitch({ className }: { className: string | undefined }) {
  const dark = useSyncExternalStore(subscribe, isDark)
  const toggle = (): void => {
    const theme = dark ? 'light' : 'dark'
    applyTheme(theme)
    localStore.set(STORAGE_KEY, theme)
  }
  return (
    <span className={className}>
      <IconButton label={dark ? messages.bar.lightColours : messages.bar.darkColours} onClick={toggle}>
        {dark ? <Sun aria-hidden size={18} /> : <Moon aria-hidden size={18} />}
      </IconButton>
    </span>
  )
}

const STORAGE_KEY = 'theme'
const listeners = new Set<() => void>()
const systemDark = matchMedia('(prefers-color-scheme: dark)')

/** Changes of the choice and of the system's theme. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  systemDark.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    systemDark.removeEventListener('change', listener)
  }
}

const isDark = (): boolean =>
  (document.documentElement.dataset['theme'] ?? (systemDark.matches ? 'dark' : 'light')) === 'dark'

/** As before-paint.js does before the first paint. The colour of the browser's own bars follows. */
function applyTheme(theme: string): void {
  document.documentElement.dataset['theme'] = theme
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]'))
    meta.media = meta.dataset['theme'] === theme ? 'all' : 'not all'
  for (const listener of listeners) listener()
}

/** Follows the choice of other tabs. Call once. */
export function followTheme(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === STORAGE_KEY && (newValue === 'light' || newValue === 'dark')) applyTheme(newValue)
  })
}
