import { markDirections } from '@prelude/contracts'
import { useEffect } from 'react'
import { siteConfig } from '../messages.ts'
import { createStore } from './store.ts'

/** The title of the page that was opened last; a browser announces the first one itself. */
export const announcedTitle = createStore('')
let isFirst = true

/** Sets document.title, and announces it, or a shorter name of the page, when it changes. A name in it turns nothing around. */
export function useDocumentTitle(title: string, name = title): void {
  const shown = markDirections(title)
  useEffect(() => {
    if (!isFirst && document.title !== shown) announcedTitle.set(name)
    isFirst = false
    document.title = shown
  }, [shown, name])
}

/** Sets document.title to the page's name and the brand. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · ${siteConfig.brand}`)
