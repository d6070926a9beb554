import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import { messages } from '../messages.ts'
import styles from './dialog.module.css'
import { IconButton } from './button.tsx'

/** A modal dialog, labelled by its title. The focus goes to `initialFocus`, else to the button that closes it. */
export function Dialog(props: {
  title: string
  open: boolean
  onOpenChange: (open: boolean) => void
  initialFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}) {
  return (
    <Base.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={`card ${styles.popup}`} initialFocus={props.initialFocus}>
          <div className={`line gap-3 split ${styles.head}`}>
            <Base.Title className={styles.title}>{props.title}</Base.Title>
            <Base.Close
              render={
                <IconButton label={messages.close}>
                  <X aria-hidden size={20} />
                </IconButton>
              }
            />
          </div>
          {props.children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
