import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { lastValues, sessionStore } from './browser/storage.ts'
import { createStore } from './state/store.ts'

/** Routing over the History API: the location, links, and scroll positions, which the browser restores too early for our pages. */

/** What we keep with an entry of the history. */
interface Entry {
  readonly key: string
  readonly state: unknown
}

interface Location {
  /** Of the entry of the history, also after a reload. */
  readonly key: string
  readonly pathname: string
  readonly search: string
  /** Given by the link that led here. */
  readonly state: unknown
}

const newEntry = (state: unknown): Entry => ({ key: crypto.randomUUID(), state })
let entry = newEntry(null)
const read = (): Location => ({ ...entry, pathname: location.pathname, search: location.search })
const store = createStore(read())

export const useLocation = store.use

/** Opens a page of the app at its top. `replace`: in place of its entry in the history and where it is scrolled to, as for another tab. */
export function navigate(to: string, state: unknown = null, { replace = false } = {}): void {
  saveScroll()
  const isSame = replace || to === location.pathname + location.search
  entry = newEntry(state)
  history[isSame ? 'replaceState' : 'pushState'](entry, '', to)
  store.set(read())
  cancelRestore()
  if (!replace) scrollTo(0, 0)
}

/** Removes what the link gave, once it is done: the Back button and a reload must not do it again. */
export function consumeState(): void {
  entry = { ...entry, state: null }
  history.replaceState(entry, '')
}

/** A link to a page of the app. With a modifier key or another button the browser opens it as any other. */
export function Link({
  to,
  state,
  children,
  ...anchor
}: AnchorHTMLAttributes<HTMLAnchorElement> & { to: string; state?: unknown }) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to, state)
  }
  return (
    <a href={to} onClick={follow} {...anchor}>
      {children}
    </a>
  )
}

/** By the key of their entry. */
const scrollPositions = lastValues<number>(sessionStore, 'prelude-scroll')
const saveScroll = (): void => scrollPositions.set(entry.key, scrollY)

let cancelRestore = (): void => {}

/** Scrolls to where this entry was left, once the page is long enough for it, unless the person scrolls first. */
function restoreScroll(): void {
  cancelRestore()
  const top = scrollPositions.get(entry.key) ?? 0
  const root = document.documentElement
  const attempt = (): void => {
    if (root.scrollHeight - innerHeight < top) return
    cancelRestore()
    scrollTo(0, top)
  }
  const observer = new ResizeObserver(attempt)
  const person = new AbortController()
  cancelRestore = () => {
    observer.disconnect()
    person.abort()
  }
  for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(event, () => cancelRestore(), { signal: person.signal, passive: true })
  observer.observe(document.body)
}

/** Follows the back and forward buttons. Call once. */
export function startRouter(): void {
  history.scrollRestoration = 'manual'
  const open = (): void => {
    entry = (history.state as Entry | null) ?? entry
    store.set(read())
    restoreScroll()
  }
  if (history.state === null) history.replaceState(entry, '')
  open()
  addEventListener('popstate', () => {
    saveScroll()
    open()
  })
  addEventListener('pagehide', saveScroll)
}
