import { useEffect } from 'react'
import { siteConfig } from '../messages.ts'

/** Sets document.title. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title
  }, [title])
}

/** Sets document.title to the page's name and the brand. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · ${siteConfig.brand}`)
