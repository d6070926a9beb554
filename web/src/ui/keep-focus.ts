/** What a person may find themselves in when the control they used is gone; each says by its name or heading where that is. */
const PLACES = 'li, form, section, [role=dialog], main'
/** Dialogs and menus give the focus back by themselves first. */
const AFTER_MS = 100

/**
 * A control that goes away, or is disabled, with the focus on it (a message that is dismissed, a transfer that is settled,
 * a page that is left) would leave the keyboard and screen readers at the very start of the page. The focus goes to the
 * closest part of the page that is still there. Call once.
 */
export function keepFocus(): void {
  let trail: readonly HTMLElement[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  addEventListener('focusin', ({ target }) => {
    trail = [...ancestors(target as HTMLElement | null)]
  })
  const isLost = (): boolean =>
    trail[0] !== undefined && (!trail[0].isConnected || trail[0].matches(':disabled'))
  const check = (): void => {
    const [, ...around] = trail
    if (!isLost() || document.activeElement !== document.body) return
    const place =
      around.find((one) => one.isConnected && one.matches(PLACES)) ??
      document.querySelector<HTMLElement>('main')
    if (!place) return
    place.tabIndex = -1
    place.focus({ preventScroll: true })
  }
  new MutationObserver(() => {
    if (!isLost()) return
    clearTimeout(timer)
    timer = setTimeout(check, AFTER_MS)
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}

function* ancestors(element: HTMLElement | null): Generator<HTMLElement> {
  for (let one = element; one; one = one.parentElement) yield one
}
