const ROWS = 'li, [role=listitem]'
/** What may receive the focus: its accessible name or heading names the place. */
const TARGETS = `${ROWS}, form, section, [role=dialog], main`
const OVERLAYS = '[role=dialog], [role=menu]'
/** Dialogs and menus restore the focus themselves first. */
const DELAY_MS = 100

/**
 * Moves the focus to the closest remaining ancestor, or to the row beside a removed one, when the focused control is removed
 * or disabled (a dismissed toast, a settled transfer, a page change), or the control behind a dialog that closes. The browser
 * would move it to the start of the page. Call once.
 */
export function restoreLostFocus(): void {
  let path: readonly HTMLElement[] = []
  /** Of the last control outside of overlays. */
  let behind: readonly HTMLElement[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  addEventListener('focusin', ({ target }) => {
    path = [...ancestors(target as HTMLElement | null)]
    if (!path.some((one) => one.matches(OVERLAYS))) behind = path
  })
  const isLost = (): boolean =>
    path[0] !== undefined && (!path[0].isConnected || path[0].matches(':disabled'))
  const check = (): void => {
    if (!isLost() || document.activeElement !== document.body) return
    focusRegion(focusTargetFor(path, behind) ?? document.querySelector<HTMLElement>('main'))
  }
  new MutationObserver(() => {
    if (!isLost()) return
    clearTimeout(timer)
    timer = setTimeout(check, DELAY_MS)
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}

/** Where the focus of a lost control goes: `path` leads from it, `behind` from the control behind the overlay that had it. */
export const focusTargetFor = (
  [, ...parents]: readonly HTMLElement[],
  behind: readonly HTMLElement[],
): HTMLElement | undefined => [...parents, ...behind].find((one) => one.isConnected && one.matches(TARGETS))

/** Focuses what is no control, so that a screen reader reads on from there. */
export function focusRegion(target: HTMLElement | null): void {
  if (!target) return
  target.tabIndex = -1
  target.focus({ preventScroll: true })
}

/** The element and its ancestors; after a row of a list those beside it, the next one first. */
export function* ancestors(element: HTMLElement | null): Generator<HTMLElement> {
  for (let one = element; one; one = one.parentElement) {
    yield one
    if (!one.matches(ROWS)) continue
    for (const row of [one.nextElementSibling, one.previousElementSibling]) if (row) yield row as HTMLElement
  }
}
