import { useEffect, useState } from 'react'
import { onConnectionChange, startLiveUpdates } from '../api/live.ts'
import { useIsOutdated } from '../browser/build.ts'
import { renewSubscription } from '../features/account/push.ts'
import { usePublishedHeight } from '../browser/published-height.ts'
import { onWordsNotKept } from '../browser/storage.ts'
import { messages } from '../messages.ts'
import { useIsPageHeld } from '../state/held-page.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import styles from './live-updates.module.css'

const DISCONNECT_NOTICE_DELAY_MS = 2_000

/**
 * Keeps the person's data up to date, with a notice while the live stream is disconnected for longer than a moment, and one
 * when the server has a new build, unless a reload would lose something.
 */
export default function LiveUpdates({ uid }: { uid: string }) {
  const [isLost, setLost] = useState(false)
  const isOutdated = useIsOutdated()
  const isHeld = useIsPageHeld()
  const notice = usePublishedHeight<HTMLParagraphElement>('--notice-height')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = onConnectionChange((isConnected) => {
      clearTimeout(timer)
      if (isConnected) setLost(false)
      else timer = setTimeout(() => setLost(true), DISCONNECT_NOTICE_DELAY_MS)
    })
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [])
  useEffect(() => startLiveUpdates(uid), [uid])
  useEffect(() => onWordsNotKept(() => toast.alert(messages.wordsNotKept)), [])
  // one that fails is tried with the next start
  useEffect(() => void renewSubscription(uid).catch(() => {}), [uid])
  return (
    <p ref={notice} role="status" className={styles.offline}>
      {isLost && messages.offline}
      {!isLost && isOutdated && !isHeld && (
        <>
          {messages.newVersion}{' '}
          <Button small className={styles.load} onClick={() => location.reload()}>
            {messages.errorPage.reload}
          </Button>
        </>
      )}
    </p>
  )
}
