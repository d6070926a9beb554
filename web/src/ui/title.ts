import { useEffect } from 'react'
import { siteConfig } from '../messages.ts'
import { createStore } from '../state/store.ts'

/** The title of the page that was opened last; a browser announces the first one itself. */
export const announcedTitle = createStore('')
let isFirst = true

/** Sets document.title, and announces it when it changes. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    if (!isFirst && document.title !== title) announcedTitle.set(title)
    isFirst = false
    document.title = title
  }, [title])
}

/** Sets document.title to the page's name and the brand. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · ${siteConfig.brand}`)
