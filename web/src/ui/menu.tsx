import { Check, ChevronDown } from 'lucide-react'
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { buttonClass } from './button.tsx'
import styles from './menu.module.css'

export type MenuEntry = {
  readonly label: string
  /** CSS colour of a dot before the label. */
  readonly dot?: string
} & (
  | {
      readonly onSelect: () => void
      /** Of an entry that is on or off. */
      readonly checked?: boolean
    }
  /** Opens in a new tab. */
  | { readonly href: string }
)

const ITEM_HEIGHT = 48
/** Minimum width of the popup plus a margin to the edge of the screen. */
const POPUP_WIDTH = 176
/** Between the button and the popup, and between the popup and the edge of the screen. */
const GAPS = 12

/**
 * A menu button after the ARIA Authoring Practices. Not the component library's: axe reports its hidden focus guards, and
 * its popup is rendered outside the landmark of the button.
 */
export function Menu({
  label,
  name,
  isIcon = false,
  entries,
  triggerClass,
  busy = false,
  ref,
}: {
  label: ReactNode
  /** The accessible name of the menu. */
  name: string
  /** The label is an icon: the button has the name too, and no arrow. */
  isIcon?: boolean
  entries: readonly MenuEntry[]
  triggerClass?: string | undefined
  /** A chosen entry is still being done. */
  busy?: boolean
  ref?: RefObject<HTMLButtonElement | null> | undefined
}) {
  const id = useId()
  const [open, setOpen] = useState<{ above: boolean; maxHeight: number; atStart: boolean } | null>(null)
  const root = useRef<HTMLSpanElement>(null)
  const own = useRef<HTMLButtonElement>(null)
  const trigger = ref ?? own
  const isOpen = open !== null
  const count = entries.length
  const show = useCallback((): void => {
    const { top = 0, bottom = 0, right = 0 } = trigger.current?.getBoundingClientRect() ?? {}
    const below = innerHeight - bottom
    const above = below < count * ITEM_HEIGHT && top > below
    setOpen({ above, maxHeight: (above ? top : below) - GAPS, atStart: right < POPUP_WIDTH })
  }, [count, trigger])
  useEffect(() => {
    if (!isOpen) return undefined
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [isOpen, show])
  useEffect(() => {
    if (!isOpen) return undefined
    items(root.current)[0]?.focus()
    const onPointer = ({ target }: PointerEvent): void => {
      if (!root.current?.contains(target as Node)) setOpen(null)
    }
    addEventListener('pointerdown', onPointer)
    return () => removeEventListener('pointerdown', onPointer)
  }, [isOpen])
  const close = (): void => {
    setOpen(null)
    trigger.current?.focus()
  }
  return (
    <span ref={root} className={styles.root}>
      <button
        ref={trigger}
        type="button"
        className={triggerClass ?? buttonClass('outline', true)}
        aria-label={isIcon ? name : undefined}
        aria-busy={busy || undefined}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? setOpen(null) : show())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          show()
        }}
      >
        {label}
        {!isIcon && <ChevronDown aria-hidden size={16} />}
      </button>
      {open !== null && (
        <div
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={name}
          className={`card ${styles.popup} ${open.above ? styles.above : ''} ${open.atStart ? styles.start : ''}`}
          style={{ maxHeight: open.maxHeight }}
          onKeyDown={(event) => moveFocus(event, root.current, close, () => setOpen(null))}
        >
          {entries.map((entry) => (
            <Entry key={entry.label} entry={entry} close={close} />
          ))}
        </div>
      )}
    </span>
  )
}

function Entry({ entry, close }: { entry: MenuEntry; close: () => void }) {
  const common = { tabIndex: -1, className: `line ${styles.item}` }
  if ('href' in entry)
    return (
      <a {...common} role="menuitem" href={entry.href} target="_blank" rel="noreferrer" onClick={close}>
        {entry.label}
      </a>
    )
  const { label, dot, checked, onSelect } = entry
  return (
    <button
      {...common}
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={checked}
      onClick={() => {
        close()
        onSelect()
      }}
    >
      {dot !== undefined && (
        <span aria-hidden className={styles.dot} style={{ '--take': dot } as CSSProperties} />
      )}
      {label}
      {checked && <Check aria-hidden size={16} className={styles.check} />}
    </button>
  )
}

const items = (root: HTMLElement | null): HTMLElement[] => [
  ...(root?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
]

/** Arrow keys wrap around, Home and End go to the ends, Escape returns to the button, Tab leaves. */
function moveFocus(
  event: KeyboardEvent,
  root: HTMLElement | null,
  close: () => void,
  leave: () => void,
): void {
  const all = items(root)
  const at = all.indexOf(document.activeElement as HTMLElement)
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: (at - 1 + all.length) % all.length,
    Home: 0,
    End: all.length - 1,
  }
  if (event.key === 'Tab') return leave()
  const target = targets[event.key]
  if (event.key !== 'Escape' && target === undefined) return
  event.preventDefault()
  event.stopPropagation()
  if (target === undefined) close()
  else all[target]?.focus()
}
