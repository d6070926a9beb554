import { useEffect, useState } from 'react'
import { messages } from '../../messages.ts'
import { nextTryAt, useDeliveryState } from './delivery.ts'

/** Says that a failed request of the delivery is sent again, with the seconds until then, or that the server is asked about it. */
export function RetryNotice() {
  const state = useDeliveryState()
  const { asking } = state
  const retryAt = nextTryAt(state)
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (retryAt === null) return undefined
    const count = (): void => setSeconds(Math.ceil((retryAt - Date.now()) / 1_000))
    count()
    const timer = setInterval(count, 1_000)
    return () => clearInterval(timer)
  }, [retryAt])
  return (
    <p role="status" className={retryAt === null && !asking ? 'visually-hidden' : 'soft'}>
      {retryAt !== null ? messages.operator.retrying : asking && messages.delivery.asking}
      {/* a live region would announce every second */}
      {retryAt !== null && seconds > 0 && <span aria-hidden> {messages.operator.nextTry(seconds)}</span>}
    </p>
  )
}
