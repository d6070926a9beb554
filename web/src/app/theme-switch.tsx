import { Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { messages } from '../messages.ts'
import { IconButton } from '../ui/button.tsx'

/** Light or dark, kept in this browser; until it is used the system decides. */
export function ThemeSwitch({ className }: { className: string | undefined }) {
  const [dark, setDark] = useState(isDark)
  const toggle = (): void => {
    const next = dark ? 'light' : 'dark'
    document.documentElement.dataset['theme'] = next
    localStorage.setItem('theme', next)
    setDark(!dark)
  }
  return (
    <span className={className}>
      <IconButton label={dark ? messages.bar.lightColours : messages.bar.darkColours} onClick={toggle}>
        {dark ? <Sun aria-hidden size={18} /> : <Moon aria-hidden size={18} />}
      </IconButton>
    </span>
  )
}

const isDark = (): boolean =>
  (document.documentElement.dataset['theme'] ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'

/** Before the first paint: the colours the person chose earlier. */
export function restoreTheme(): void {
  const kept = localStorage.getItem('theme')
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset['theme'] = kept
}
