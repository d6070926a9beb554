import { useState } from 'react'
import { markDirections, type Song } from '@prelude/contracts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { formatDuration } from '../../../ui/time.ts'
import type { Files } from '../delivery.ts'
import type { Checks } from './check-files.ts'
import { doubtsAbout, isChecking } from './check-list.tsx'
import styles from './desk.module.css'
import { titleOf } from './requests.tsx'

/** Names the person and the files, and asks once more when the checks have found something that is hardly meant. */
export function DeliverDialog(props: {
  song: Song
  files: Files
  checks: Checks
  onDeliver: () => void
  onClose: () => void
}) {
  const { song, files, checks, onDeliver, onClose } = props
  const { desk } = messages
  const [isDoubted, setDoubted] = useState(false)
  const doubts = doubtsAbout(checks)
  const deliver = (): void => {
    onClose()
    onDeliver()
  }
  if (isDoubted) return <Doubts doubts={doubts} onDeliver={deliver} onClose={onClose} />
  return (
    <Dialog
      title={desk.deliverQuestion(markDirections(song.username))}
      open
      onOpenChange={(open) => !open && onClose()}
    >
      <div className={styles.confirm}>
        <p>{markDirections(song.email)}</p>
        <p dir="auto">{titleOf(song)}</p>
        <ul>
          {files.map(
            (file, n) =>
              file && (
                <li key={messages.version(n + 1)}>
                  <strong>{messages.version(n + 1)}</strong> {markDirections(file.name)}{' '}
                  <span className="mono">{durationOf(checks, n as 0 | 1)}</span>
                </li>
              ),
          )}
        </ul>
        {isChecking(checks) && <Loading variant="inline" />}
        <div className={styles.row}>
          <Button
            variant="primary"
            disabled={isChecking(checks)}
            onClick={() => (doubts.length > 0 ? setDoubted(true) : deliver())}
          >
            {desk.deliver}
          </Button>
          <Button onClick={onClose}>{desk.back}</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Doubts(props: { doubts: readonly string[]; onDeliver: () => void; onClose: () => void }) {
  const { desk } = messages
  return (
    <Dialog title={desk.doubtQuestion} open onOpenChange={(open) => !open && props.onClose()}>
      <div className={styles.confirm}>
        {props.doubts.map((doubt) => (
          <p key={doubt}>{doubt}</p>
        ))}
        {/* the other way round than before, so that a double click does not answer both questions */}
        <div className={styles.row}>
          <Button onClick={props.onClose}>{desk.back}</Button>
          <Button variant="primary" onClick={props.onDeliver}>
            {desk.deliverAnyway}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const durationOf = ({ measures }: Checks, n: 0 | 1): string => {
  const found = measures[n]
  return found ? formatDuration(found.durationMs) : ''
}
