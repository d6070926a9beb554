import { useState } from 'react'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { Audit } from './audit.tsx'
import styles from './operator.module.css'
import { Payments } from './payments.tsx'
import { People } from './people.tsx'
import { ReadySongs } from './ready-songs.tsx'
import { Transfers } from './transfers.tsx'

const TABS = { transfers: Transfers, ready: ReadySongs, people: People, payments: Payments, audit: Audit }
type Tab = keyof typeof TABS

/** The operator's other lists, one tab each. */
export function OperatorTabs() {
  const [tab, setTab] = useState<Tab>('transfers')
  const List = TABS[tab]
  return (
    <div className={styles.lists}>
      <div className={styles.tabs}>
        {(Object.keys(TABS) as Tab[]).map((name) => (
          <Button key={name} small aria-pressed={tab === name} onClick={() => setTab(name)}>
            {messages.operator.tabs[name]}
          </Button>
        ))}
      </div>
      <div className={styles.tabContent}>
        <h3>{messages.operator.tabs[tab]}</h3>
        <List />
      </div>
    </div>
  )
}
