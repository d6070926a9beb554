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

/** Shown while the server does not answer and nothing is cached; the queries keep retrying. */
export function Unreachable({ onRetry }: { onRetry: () => void }) {
  const { offline, noAnswer, text, retrying } = messages.unreachable
  return (
    <Notice tape="none" title={useOnline() ? noAnswer : offline}>
      <p>{text}</p>
      <p role="status" className="mono waiting">
        <Reel /> {retrying}
      </p>
      <Button onClick={onRetry}>{messages.tryAgain}</Button>
    </Notice>
  )
}
