import { useEffect, useState } from 'react'
import { messages } from '../../messages.ts'
import styles from './operator.module.css'

/** Says that a failed request is sent again, with the seconds until then; empty while `retryAt` is null. */
export function RetryNotice({ retryAt }: { retryAt: number | null }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (retryAt === null) return undefined
    const count = (): void => setSeconds(Math.ceil((retryAt - Date.now()) / 1_000))
    count()
    const timer = setInterval(count, 1_000)
    return () => clearInterval(timer)
  }, [retryAt])
  return (
    <p role="status" className={retryAt === null ? 'visually-hidden' : styles.soft}>
      {retryAt !== null && messages.operator.retrying}
      {/* a live region would announce every second */}
      {retryAt !== null && seconds > 0 && <span aria-hidden> {messages.operator.nextTry(seconds)}</span>}
    </p>
  )
}
