import { messages } from '../../messages.ts'
import { OPERATOR_POINTS, truncate } from '../../ui/truncate.ts'
import { useDelivery } from './delivery.ts'
import styles from './operator.module.css'
import { RetryNotice } from './retry-notice.tsx'
import { UploadProgress } from './version-input.tsx'

/** The delivery under way, on pages without the upload form. */
export function DeliveryBar() {
  const delivery = useDelivery()
  if (!delivery) return null
  return (
    <section aria-label={messages.operator.uploading} className={styles.deliveryBar}>
      <strong>{truncate(delivery.song.style, OPERATOR_POINTS)}</strong>
      {delivery.progress.map(
        (progress, n) =>
          progress && (
            <div key={messages.version(n + 1)}>
              <UploadProgress
                name={messages.version(n + 1)}
                progress={progress}
                upload={delivery.uploads[n]}
              />
            </div>
          ),
      )}
      <RetryNotice retryAt={delivery.retryAt} />
    </section>
  )
}
