import { useEffect } from 'react'
import { siteConfig } from '../messages.ts'
import { createStore } from './store.ts'

/** The title of the page that was opened last; a browser announces the first one itself. */
const announced = createStore('')
let isFirst = true

/** Sets document.title, and announces it when it changes. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    if (!isFirst && document.title !== title) announced.set(title)
    isFirst = false
    document.title = title
  }, [title])
}

/** Sets document.title to the page's name and the brand. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · ${siteConfig.brand}`)

/** Tells screen readers which page was opened: nothing else of a page that is opened by a link says so. */
export const PageAnnouncement = () => (
  <p role="status" className="visually-hidden">
    {announced.use()}
  </p>
)
