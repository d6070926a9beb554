import type { KeyboardEvent } from 'react'
import { format } from '../messages.ts'
import { moveFocus } from '../browser/move-focus.ts'
import styles from './tabs.module.css'

/** Tabs over the element with the id `panelId`, of role tabpanel: one is in the tab order, arrow keys choose among them. */
export function Tabs<T extends string>(props: {
  label: string
  names: Readonly<Record<T, string>>
  /** How much each tab has, at the end of its name. */
  counts?: Readonly<Record<T, number>> | undefined
  selected: T
  panelId: string
  onSelect: (name: T) => void
}) {
  const { names, counts, selected, panelId, onSelect } = props
  const chooseByKey = (event: KeyboardEvent<HTMLElement>): void =>
    moveFocus(event, '[role=tablist]', '[role=tab]')?.click()
  return (
    <div role="tablist" aria-label={props.label} className={`row gap-1 ${styles.tabs}`}>
      {(Object.keys(names) as T[]).map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={tabId(panelId, name)}
          aria-selected={name === selected}
          aria-controls={panelId}
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
          onKeyDown={chooseByKey}
        >
          {names[name]}
          {counts && <span className="mono"> {format.whole(counts[name])}</span>}
        </button>
      ))}
    </div>
  )
}

/** Of the tab that names the panel. */
export const tabId = (panelId: string, name: string): string => `${panelId}-${name}`
