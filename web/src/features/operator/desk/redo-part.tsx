import { type Ref, useId, useRef, useState } from 'react'
import type { Again } from '@prelude/contracts'
import { makeDrafts } from '../../../api/drafts.ts'
import { useCommand } from '../../../api/use-command.ts'
import { messages } from '../../../messages.ts'
import { formatDuration } from '../../../text/time.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import dialog from '../../../ui/dialog.module.css'
import { FormError } from '../../../ui/form-error.tsx'
import { toast } from '../../../ui/toast.tsx'
import styles from './desk.module.css'

interface Part {
  readonly fromMs: number
  readonly toMs: number
}

const BEFORE_MS = 4_000
const AFTER_MS = 8_000
/** Of a slider; also the shortest part. */
const STEP_MS = 1_000

/** From shortly before a time to somewhat after it, within a recording of this length. */
export function partAround(atMs: number, lengthMs: number): Part {
  const end = Math.floor(lengthMs)
  const at = Math.round(Math.min(atMs, end))
  return { fromMs: Math.max(0, at - BEFORE_MS), toMs: Math.min(end, at + AFTER_MS) }
}

/** Has the generator make a part of a recording again. */
export function RedoPart(props: {
  songId: string
  /** Undefined until it is known. */
  lengthMs: number | undefined
  aroundMs: number
  of: (part: Part) => Again
}) {
  const { songId, lengthMs, aroundMs, of } = props
  const { drafts } = messages
  const [part, setPart] = useState<Part | null>(null)
  const close = (): void => setPart(null)
  const first = useRef<HTMLInputElement>(null)
  const { busy, error, run } = useCommand(async (again: Again) => {
    toast.status(drafts.asked(await makeDrafts(songId, { again })))
    close()
  })
  return (
    <>
      <Button small disabled={!lengthMs} onClick={() => lengthMs && setPart(partAround(aroundMs, lengthMs))}>
        {drafts.redo}
      </Button>
      {part && lengthMs && (
        <Dialog
          title={drafts.redo}
          open
          initialFocus={first}
          onOpenChange={(open) => !open && !busy && close()}
        >
          <div className={`stack gap-4 ${dialog.question}`}>
            <p>{drafts.redoHint}</p>
            <Time
              ref={first}
              label={drafts.from}
              ms={part.fromMs}
              lengthMs={lengthMs}
              onChange={(ms) => setPart({ ...part, fromMs: Math.min(ms, part.toMs - STEP_MS) })}
            />
            <Time
              label={drafts.to}
              ms={part.toMs}
              lengthMs={lengthMs}
              onChange={(ms) => setPart({ ...part, toMs: Math.max(ms, part.fromMs + STEP_MS) })}
            />
            {error && <FormError key={error.at} text={error.text} />}
            <div className="row">
              <Button variant="primary" busy={busy} onClick={() => void run(of(part))}>
                {drafts.redo}
              </Button>
              <Button disabled={busy} onClick={close}>
                {messages.cancel}
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
}

function Time(props: {
  ref?: Ref<HTMLInputElement>
  label: string
  ms: number
  lengthMs: number
  onChange: (ms: number) => void
}) {
  const { ref, label, ms, lengthMs, onChange } = props
  const id = useId()
  return (
    <div className={styles.time}>
      <label htmlFor={id}>{label}</label>
      <span className="mono">{formatDuration(ms)}</span>
      <input
        ref={ref}
        id={id}
        type="range"
        // steps are counted from here: a time between two whole seconds stays what it is
        min={ms % STEP_MS}
        max={Math.floor(lengthMs)}
        step={STEP_MS}
        value={ms}
        aria-valuetext={formatDuration(ms)}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    </div>
  )
}
