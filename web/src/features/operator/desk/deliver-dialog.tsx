import { useRef } from 'react'
import { markDirections, type Song } from '@prelude/contracts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import dialog from '../../../ui/dialog.module.css'
import { Loading } from '../../../ui/loading.tsx'
import { formatDuration } from '../../../text/time.ts'
import { type Checks, isChecking } from '../check-files.ts'
import type { Files } from '../delivery.ts'
import { Doubts } from '../doubts.tsx'
import { titleOf } from '../song-summary.tsx'

/** Names the person, the files, and what the checks have found that is hardly meant. */
export function DeliverDialog(props: {
  song: Song
  files: Files
  checks: Checks
  onDeliver: () => void
  onClose: () => void
}) {
  const { song, files, checks, onDeliver, onClose } = props
  const { desk } = messages
  const action = useRef<HTMLButtonElement>(null)
  const deliver = (): void => {
    if (isChecking(checks)) return
    onClose()
    onDeliver()
  }
  return (
    <Dialog
      title={desk.deliverQuestion(markDirections(song.username))}
      open
      initialFocus={action}
      onOpenChange={(open) => !open && onClose()}
    >
      <div className={`stack gap-4 ${dialog.question}`}>
        <p>{markDirections(song.email)}</p>
        <p dir="auto">{titleOf(song)}</p>
        <ul>
          {files.map(
            (file, n) =>
              file && (
                <li key={messages.version(n + 1)}>
                  <strong>{messages.version(n + 1)}</strong> {markDirections(file.name)}{' '}
                  <Checked measures={checks.measures[n as 0 | 1]} />
                </li>
              ),
          )}
        </ul>
        {isChecking(checks) && <Loading variant="inline" />}
        <Doubts checks={checks} />
        <div className="row">
          {/* not disabled: it has the focus */}
          <Button ref={action} variant="primary" busy={isChecking(checks)} onClick={deliver}>
            {desk.deliver}
          </Button>
          <Button onClick={onClose}>{desk.back}</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Checked({ measures }: { measures: Checks['measures'][number] }) {
  if (!measures) return null
  return <span className="mono">{formatDuration(measures.durationMs)}</span>
}
