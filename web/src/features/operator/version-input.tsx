import { Pause, Play, X } from 'lucide-react'
import { type CSSProperties, useEffect, useRef } from 'react'
import { messages } from '../../messages.ts'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import styles from './operator.module.css'
import type { Progress, UploadHandle } from './upload-handle.ts'

/** A styled file input with the selected file and the progress of its upload, during which it is locked. */
export function VersionInput(props: {
  id: string
  label: string
  /** CSS colour of the take. */
  colour: string
  file: File | null
  progress: Progress | null
  onFile: (file: File | null) => void
  upload: UploadHandle | undefined
}) {
  const { id, label, file, progress } = props
  const input = useRef<HTMLInputElement>(null)
  // puts a file that was dropped on the form, or swapped, into the input
  useEffect(() => {
    if (!input.current || (input.current.files?.[0] ?? null) === file) return
    const transfer = new DataTransfer()
    if (file) transfer.items.add(file)
    input.current.files = transfer.files
  }, [file])
  return (
    <div className={styles.file} style={{ '--take': props.colour } as CSSProperties}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.picker}>
        <input
          ref={input}
          id={id}
          type="file"
          accept="audio/*,.mp3,.wav,.flac,.m4a,.ogg,.opus"
          disabled={progress !== null}
          onChange={(event) => props.onFile(event.target.files?.[0] ?? null)}
        />
        <span aria-hidden className={`${buttonClass('outline', true)} ${styles.button}`}>
          {messages.operator.chooseFile}
        </span>
        {file ? (
          <span
            className={`mono ${styles.soft}`}
          >{`${file.name} · ${messages.operator.size(file.size)}`}</span>
        ) : (
          <span aria-hidden className={`${styles.soft} ${styles.dropHint}`}>
            {messages.operator.orDrop}
          </span>
        )}
      </div>
      {progress && <UploadProgress name={label} progress={progress} upload={props.upload} />}
    </div>
  )
}

/** The bar of one file with its speed, the time left, and Pause, Resume and Cancel. */
export function UploadProgress({
  name,
  progress,
  upload,
}: {
  name: string
  progress: Progress
  upload: UploadHandle | undefined
}) {
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
      <div className={styles.progress}>
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
            label={progress.paused ? messages.operator.resume(name) : messages.operator.pause(name)}
            onClick={() => (progress.paused ? upload?.resume() : upload?.pause())}
          >
            {progress.paused ? (
              <Play aria-hidden size={18} fill="currentColor" />
            ) : (
              <Pause aria-hidden size={18} fill="currentColor" />
            )}
          </IconButton>
          <IconButton label={messages.operator.cancel(name)} onClick={() => upload?.cancel()}>
            <X aria-hidden size={18} />
          </IconButton>
        </span>
      </div>
    </>
  )
}
