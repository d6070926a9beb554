import { useEffect } from 'react'
import { siteConfig } from '../messages.ts'
import { createStore } from '../state/store.ts'

/** The title of the page that was opened last; a browser announces the first one itself. */
export const announcedTitle = createStore('')
let isFirst = true

/** Sets document.title, and announces it, or a shorter name of the page, when it changes. */
export function useDocumentTitle(title: string, name = title): void {
  useEffect(() => {
    if (!isFirst && document.title !== title) announcedTitle.set(name)
    isFirst = false
    document.title = title
  }, [title, name])
}

/** Sets document.title to the page's name and the brand. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · ${siteConfig.brand}`)
