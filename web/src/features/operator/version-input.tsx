import { Pause, Play, X } from 'lucide-react'
import { type CSSProperties, useEffect, useRef } from 'react'
import { messages } from '../../messages.ts'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import styles from './operator.module.css'
import type { Progress, RunningUpload } from './running-upload.ts'

export const startOf = (file: File): Progress => ({
  sentBytes: 0,
  totalBytes: file.size,
  bytesPerSecond: 0,
  paused: false,
})

/** A file input in the words of the house, with what it holds and how far that is on its way. */
export function VersionInput(props: {
  id: string
  label: string
  /** A CSS colour: that of the take. */
  colour: string
  file: File | null
  progress: Progress | null
  onFile: (file: File | null) => void
  upload: () => RunningUpload | undefined
}) {
  const { id, label, file, progress } = props
  const input = useRef<HTMLInputElement>(null)
  // a file that was dropped on the form is one that the input holds
  useEffect(() => {
    if (!file || !input.current || input.current.files?.[0] === file) return
    const held = new DataTransfer()
    held.items.add(file)
    input.current.files = held.files
  }, [file])
  return (
    <div className={styles.file} style={{ '--take': props.colour } as CSSProperties}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.pick}>
        <input
          ref={input}
          id={id}
          type="file"
          accept="audio/*"
          onChange={(event) => props.onFile(event.target.files?.[0] ?? null)}
        />
        <span aria-hidden className={`${buttonClass('outline', true)} ${styles.choose}`}>
          {messages.operator.chooseFile}
        </span>
        {file ? (
          <span
            className={`mono ${styles.soft}`}
          >{`${file.name} · ${messages.operator.size(file.size)}`}</span>
        ) : (
          <span aria-hidden className={`${styles.soft} ${styles.drop}`}>
            {messages.operator.orDrop}
          </span>
        )}
      </div>
      {progress && <Bar name={label} progress={progress} upload={props.upload} />}
    </div>
  )
}

function Bar({
  name,
  progress,
  upload,
}: {
  name: string
  progress: Progress
  upload: () => RunningUpload | undefined
}) {
  const part = progress.totalBytes > 0 ? progress.sentBytes / progress.totalBytes : 0
  const percent = Math.floor(part * 100)
  const left =
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
        <span style={{ transform: `scaleX(${part})` }} />
      </div>
      <div className={styles.sending}>
        <span className="mono">
          {messages.operator.percent(percent)}
          {progress.bytesPerSecond > 0 && ` · ${messages.operator.size(progress.bytesPerSecond)}/s`}
          {left !== null && part < 1 && (
            <>
              {' · '}
              <span className={styles.whole}>{messages.operator.timeLeft(left)}</span>
            </>
          )}
        </span>
        <span className={styles.controls}>
          <IconButton
            label={progress.paused ? messages.operator.resume(name) : messages.operator.pause(name)}
            onClick={() => (progress.paused ? upload()?.resume() : upload()?.pause())}
          >
            {progress.paused ? (
              <Play aria-hidden size={18} fill="currentColor" />
            ) : (
              <Pause aria-hidden size={18} fill="currentColor" />
            )}
          </IconButton>
          <IconButton label={messages.operator.cancel(name)} onClick={() => upload()?.cancel()}>
            <X aria-hidden size={18} />
          </IconButton>
        </span>
      </div>
    </>
  )
}
