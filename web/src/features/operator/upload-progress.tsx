import { X } from 'lucide-react'
import { messages } from '../../messages.ts'
import { IconButton } from '../../ui/button.tsx'
import { PlayIcon } from '../../ui/play-icon.tsx'
import { useDeliveryState } from './delivery.ts'
import styles from './operator.module.css'

/** The bar of one file of the delivery under way with its speed, the time left, and Pause, Resume and Cancel. */
export function UploadProgress({ n, name }: { n: 0 | 1; name: string }) {
  const { progress: all, uploads, asking } = useDeliveryState()
  const progress = all[n]
  const upload = uploads[n]
  if (!progress) return null
  const fraction = progress.totalBytes > 0 ? progress.sentBytes / progress.totalBytes : 0
  const percent = Math.floor(fraction * 100)
  const secondsLeft =
    progress.bytesPerSecond > 0 ? (progress.totalBytes - progress.sentBytes) / progress.bytesPerSecond : null
  return (
    <>
      <div
        role="progressbar"
        aria-label={messages.operator.uploadOf(name)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className={styles.bar}
      >
        <span style={{ transform: `scaleX(${fraction})` }} />
      </div>
      <div className="line gap-3">
        <span className="mono">
          {messages.operator.percent(percent)}
          {progress.bytesPerSecond > 0 && ` · ${messages.operator.size(progress.bytesPerSecond)}/s`}
          {secondsLeft !== null && fraction < 1 && (
            <>
              {' · '}
              <span className={styles.noWrap}>{messages.operator.timeLeft(secondsLeft)}</span>
            </>
          )}
        </span>
        <span className={styles.controls}>
          <IconButton
            aria-disabled={asking || undefined}
            label={progress.paused ? messages.operator.resume(name) : messages.operator.pause(name)}
            onClick={() => (progress.paused ? upload?.resume() : upload?.pause())}
          >
            <PlayIcon playing={!progress.paused} />
          </IconButton>
          <IconButton
            aria-disabled={asking || undefined}
            label={messages.operator.cancel(name)}
            onClick={() => upload?.cancel()}
          >
            <X aria-hidden size={18} />
          </IconButton>
        </span>
      </div>
    </>
  )
}
