import { type CSSProperties, type ReactNode, useEffect, useRef } from 'react'
import { messages } from '../../messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import styles from './operator.module.css'

/** A styled file input with the selected file; children are below it. */
export function VersionInput(props: {
  id: string
  label: string
  /** CSS colour of the take. */
  colour: string
  file: File | null
  disabled: boolean
  onFile: (file: File | null) => void
  children?: ReactNode
}) {
  const { id, label, file } = props
  const input = useRef<HTMLInputElement>(null)
  // puts a file that was dropped on the form, or swapped, into the input
  useEffect(() => {
    if (!input.current || (input.current.files?.[0] ?? null) === file) return
    const transfer = new DataTransfer()
    if (file) transfer.items.add(file)
    input.current.files = transfer.files
  }, [file])
  return (
    <div className={`stack gap-2 ${styles.file}`} style={{ '--take': props.colour } as CSSProperties}>
      <label htmlFor={id}>{label}</label>
      <div className={`row ${styles.picker}`}>
        <input
          ref={input}
          id={id}
          type="file"
          accept="audio/*,.mp3,.wav,.flac,.m4a,.ogg,.opus"
          disabled={props.disabled}
          onChange={(event) => props.onFile(event.target.files?.[0] ?? null)}
        />
        <span aria-hidden className={`${buttonClass('outline', true)} ${styles.button}`}>
          {messages.operator.chooseFile}
        </span>
        {file ? (
          <span className="mono soft">{`${file.name} · ${messages.operator.size(file.size)}`}</span>
        ) : (
          <span aria-hidden className={`soft ${styles.dropHint}`}>
            {messages.operator.orDrop}
          </span>
        )}
      </div>
      {props.children}
    </div>
  )
}
