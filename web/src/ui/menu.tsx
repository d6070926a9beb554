import { Menu as Base } from '@base-ui/react/menu'
import { ChevronDown } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import { buttonClass } from './button.tsx'
import styles from './menu.module.css'

export interface MenuEntry {
  readonly label: string
  readonly onSelect: () => void
  /** A CSS colour shown as a dot before the label. */
  readonly dot?: string
}

/** A button with a chevron that opens a list of commands. */
export function Menu(props: {
  label: ReactNode
  entries: readonly MenuEntry[]
  triggerClass?: string | undefined
}) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className={props.triggerClass ?? buttonClass('outline', true)}>
        {props.label}
        <ChevronDown aria-hidden size={16} />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align="end" sideOffset={6}>
          <Base.Popup className={styles.popup}>
            {props.entries.map((entry) => (
              <Base.Item key={entry.label} className={styles.item} onClick={entry.onSelect}>
                {entry.dot !== undefined && (
                  <span aria-hidden className={styles.dot} style={{ '--take': entry.dot } as CSSProperties} />
                )}
                {entry.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
