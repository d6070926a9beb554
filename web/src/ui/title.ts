import { useEffect } from 'react'
import { house } from '../messages.ts'

/** The document's whole title while the component is on screen. */
export function useWholeTitle(title: string): void {
  useEffect(() => {
    document.title = title
  }, [title])
}

/** The same for a page inside: its name, then the brand's. */
export const useTitle = (title: string): void => useWholeTitle(`${title} · ${house.brand}`)
