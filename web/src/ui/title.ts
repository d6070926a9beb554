import { useEffect } from 'react'
import { house } from '../messages.ts'

/** That of the landing view, as the server sends it. */
const FIRST_TITLE = document.title

/** The document's title while the component is on screen. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${house.brand}`
    return () => {
      document.title = FIRST_TITLE
    }
  }, [title])
}
