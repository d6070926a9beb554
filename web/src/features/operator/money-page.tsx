import { useState } from 'react'
import type { Me } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { tabId, Tabs } from '../../ui/tabs.tsx'
import { Audit } from './audit.tsx'
import { DeskHead } from './desk-head.tsx'
import styles from './operator.module.css'
import { OperatorOnly } from './operator-only.tsx'
import { Payments } from './payments.tsx'
import { People } from './people.tsx'
import { Transfers } from './transfers.tsx'

const TABS = { transfers: Transfers, people: People, payments: Payments, audit: Audit }
const LIST_ID = 'operator-list'

/** Transfers, people and payments, and the audit of all that the operator did. */
export default function MoneyPage({ me }: { me: Me | null }) {
  return (
    <OperatorOnly me={me} title={messages.desk.money}>
      <DeskHead />
      <Lists />
    </OperatorOnly>
  )
}

function Lists() {
  const [tab, setTab] = useState<keyof typeof TABS>('transfers')
  const List = TABS[tab]
  return (
    <section aria-label={messages.desk.money} className={`stack gap-5 ${styles.lists}`}>
      <Tabs
        label={messages.desk.money}
        names={messages.operator.tabs}
        selected={tab}
        panelId={LIST_ID}
        onSelect={setTab}
      />
      <div
        role="tabpanel"
        id={LIST_ID}
        aria-labelledby={tabId(LIST_ID, tab)}
        className={`stack ${styles.tabContent}`}
      >
        <h2>{messages.operator.tabs[tab]}</h2>
        <List />
      </div>
    </section>
  )
}
