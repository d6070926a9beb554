/** Ancestors that may receive the focus: their accessible name or heading names the place. */
const TARGETS = 'li, form, section, [role=dialog], main'
/** Dialogs and menus restore the focus themselves first. */
const DELAY_MS = 100

/**
 * Moves the focus to the closest remaining ancestor when the focused control is removed or disabled (a dismissed toast, a
 * settled transfer, a page change). The browser would move it to the start of the page. Call once.
 */
export function restoreLostFocus(): void {
  let path: readonly HTMLElement[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  addEventListener('focusin', ({ target }) => {
    path = [...ancestors(target as HTMLElement | null)]
  })
  const isLost = (): boolean =>
    path[0] !== undefined && (!path[0].isConnected || path[0].matches(':disabled'))
  const check = (): void => {
    const [, ...parents] = path
    if (!isLost() || document.activeElement !== document.body) return
    const target =
      parents.find((one) => one.isConnected && one.matches(TARGETS)) ??
      document.querySelector<HTMLElement>('main')
    if (!target) return
    target.tabIndex = -1
    target.focus({ preventScroll: true })
  }
  new MutationObserver(() => {
    if (!isLost()) return
    clearTimeout(timer)
    timer = setTimeout(check, DELAY_MS)
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}

function* ancestors(element: HTMLElement | null): Generator<HTMLElement> {
  for (let one = element; one; one = one.parentElement) yield one
}
