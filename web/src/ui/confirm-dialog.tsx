import type { ReactNode, RefObject } from 'react'
import { messages } from '../messages.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import styles from './dialog.module.css'

/**
 * The second step of an action that cannot be taken back: says what follows. It closes when the request has ended, so that its
 * toast can be read; the form behind it keeps what was typed.
 */
export function ConfirmDialog(props: {
  question: string
  /** On the button that does it. */
  action: string
  /** On the button that does nothing. */
  back?: string
  busy: boolean
  /** What follows is not known yet, or something is missing. */
  isLoading?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
  /** Default: the button that closes it. */
  initialFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}) {
  const { busy, onClose } = props
  const confirm = async (): Promise<void> => {
    if (busy) return
    await props.onConfirm()
    onClose()
  }
  return (
    <Dialog
      title={props.question}
      open
      initialFocus={props.initialFocus}
      onOpenChange={(open) => !open && !busy && onClose()}
    >
      <div className={`stack gap-4 ${styles.question}`}>
        {props.children}
        <div className="row">
          <Button
            variant="primary"
            busy={busy}
            disabled={props.isLoading === true}
            onClick={() => void confirm()}
          >
            {props.action}
          </Button>
          <Button disabled={busy} onClick={onClose}>
            {props.back ?? messages.cancel}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
