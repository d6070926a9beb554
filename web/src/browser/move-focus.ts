import type { KeyboardEvent } from 'react'

/** Moves the focus to another of the `items` in the same `list` (selectors) by arrow keys, Home and End, and returns that one. */
export function moveFocus(
  event: KeyboardEvent<HTMLElement>,
  list: string,
  items: string,
): HTMLElement | undefined {
  const all = [...(event.currentTarget.closest(list)?.querySelectorAll<HTMLElement>(items) ?? [])]
  const at = all.indexOf(event.currentTarget)
  const targets: Record<string, number> = {
    ArrowUp: at - 1,
    ArrowLeft: at - 1,
    ArrowDown: at + 1,
    ArrowRight: at + 1,
    Home: 0,
    End: all.length - 1,
  }
  const target = all[targets[event.key] ?? -1]
  if (!target) return undefined
  event.preventDefault()
  target.focus()
  return target
}
