import { useEffect } from 'react'
import { usePublishedHeight } from '../../browser/published-height.ts'
import { messages } from '../../messages.ts'
import { setBackground } from '../../state/background.ts'
import { type Delivery, useDelivery } from './delivery.ts'
import styles from './operator.module.css'
import { RetryNotice } from './retry-notice.tsx'
import { titleOf } from './song-summary.tsx'
import { UploadProgress } from './upload-progress.tsx'

/** The delivery under way, where no form shows it. */
function DeliveryBar() {
  const delivery = useDelivery()
  return delivery && <Controls of={delivery} />
}

function Controls({ of: { song } }: { of: Delivery }) {
  const bar = usePublishedHeight<HTMLElement>('--bar-height')
  return (
    <section
      ref={bar}
      aria-label={messages.operator.uploading}
      className={`stack gap-2 ${styles.deliveryBar}`}
    >
      <strong>{titleOf(song)}</strong>
      {([0, 1] as const).map((n) => (
        <div key={n}>
          <UploadProgress n={n} name={messages.version(n + 1)} />
        </div>
      ))}
      <RetryNotice />
    </section>
  )
}

/** Of a form: whether it shows the controls of the delivery itself. Where no form does, they are below the page. */
export function useOwnControls(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return undefined
    setBackground(null)
    return () => setBackground(<DeliveryBar />)
  }, [isShown])
}
