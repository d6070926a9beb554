import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Audit } from './audit.tsx'
import styles from './operator.module.css'
import { Payments } from './payments.tsx'
import { People } from './people.tsx'
import { ReadySongs } from './ready-songs.tsx'
import { Transfers } from './transfers.tsx'

const TABS = { Transfers, 'Ready songs': ReadySongs, People, Payments, Audit }
type Tab = keyof typeof TABS

/** What else the operator looks after. */
export function Desk() {
  const [tab, setTab] = useState<Tab>('Transfers')
  const Chosen = TABS[tab]
  return (
    <>
      <div className={styles.tabs}>
        {(Object.keys(TABS) as Tab[]).map((name) => (
          <Button key={name} small aria-pressed={tab === name} onClick={() => setTab(name)}>
            {name}
          </Button>
        ))}
      </div>
      <div>
        <h3>{tab}</h3>
        <Chosen />
      </div>
    </>
  )
}
