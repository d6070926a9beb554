import { useState } from 'react'
import { messages } from '../../messages.ts'
import { tabId, Tabs } from '../../ui/tabs.tsx'
import { Audit } from './audit.tsx'
import styles from './operator.module.css'
import { Payments } from './payments.tsx'
import { People } from './people.tsx'
import { ReadySongs } from './ready-songs.tsx'
import { Transfers } from './transfers.tsx'

const TABS = { transfers: Transfers, ready: ReadySongs, people: People, payments: Payments, audit: Audit }
const LIST_ID = 'operator-list'

/** The operator's other lists, one tab each. */
export function OperatorTabs() {
  const [tab, setTab] = useState<keyof typeof TABS>('transfers')
  const List = TABS[tab]
  return (
    <div className={styles.lists}>
      <Tabs
        label={messages.operator.title}
        names={messages.operator.tabs}
        selected={tab}
        panelId={LIST_ID}
        onSelect={setTab}
      />
      <div role="tabpanel" id={LIST_ID} aria-labelledby={tabId(LIST_ID, tab)} className={styles.tabContent}>
        <h3>{messages.operator.tabs[tab]}</h3>
        <List />
      </div>
    </div>
  )
}
