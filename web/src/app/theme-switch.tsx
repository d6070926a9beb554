import { Moon, Sun } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { messages } from '../messages.ts'
import { IconButton } from '../ui/button.tsx'

/** Light or dark, kept in this browser; until it is used the system decides. */
export function ThemeSwitch({ className }: { className: string | undefined }) {
  const dark = useSyncExternalStore(subscribe, isDark)
  const toggle = (): void => {
    const next = dark ? 'light' : 'dark'
    document.documentElement.dataset['theme'] = next
    localStorage.setItem('theme', next)
    for (const listener of listeners) listener()
  }
  return (
    <span className={className}>
      <IconButton label={dark ? messages.bar.lightColours : messages.bar.darkColours} onClick={toggle}>
        {dark ? <Sun aria-hidden size={18} /> : <Moon aria-hidden size={18} />}
      </IconButton>
    </span>
  )
}

const listeners = new Set<() => void>()
const system = matchMedia('(prefers-color-scheme: dark)')

/** What was chosen here, and what the system changes to at dusk. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

const isDark = (): boolean =>
  (document.documentElement.dataset['theme'] ?? (system.matches ? 'dark' : 'light')) === 'dark'

/** Before the first paint: the colours the person chose earlier. */
export function restoreTheme(): void {
  const kept = localStorage.getItem('theme')
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset['theme'] = kept
}
