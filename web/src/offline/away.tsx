import { useSyncExternalStore } from 'react'
import { messages } from '../messages.ts'
import { Reel } from '../ui/brand.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      for (const change of ['online', 'offline']) addEventListener(change, listener)
      return () => {
        for (const change of ['online', 'offline']) removeEventListener(change, listener)
      }
    },
    () => navigator.onLine,
  )

/** Instead of what only the server knows, until it answers; the asking goes on by itself. */
export function Away({ onRetry }: { onRetry: () => void }) {
  const { offline, away, text, trying } = messages.away
  return (
    <Notice tape="none" title={useOnline() ? away : offline}>
      <p>{text}</p>
      <p role="status" className="mono waiting">
        <Reel /> {trying}
      </p>
      <Button onClick={onRetry}>{messages.tryAgain}</Button>
    </Notice>
  )
}
