import { useState } from 'react'
import type { Me, Song, Stage } from '@prelude/contracts'
import { api, errorMessage } from '../../../api/client.ts'
import type { Page } from '../../../api/pages.ts'
import { messages } from '../../../messages.ts'
import { Link, navigate } from '../../../router.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { usePageTitle } from '../../../ui/title.ts'
import { LockButton } from '../lock-button.tsx'
import { OperatorOnly } from '../operator-only.tsx'
import { deskAddress, isOpen, STAGES, useDeskAddress } from './desk-address.ts'
import { DeskSong } from './desk-song.tsx'
import styles from './desk.module.css'
import { moveFocus } from './move-focus.ts'
import { Requests } from './requests.tsx'

/** The operator's work place: requests by what is to be done with them, and one of them beside the list. */
export default function DeskPage({ me }: { me: Me | null }) {
  usePageTitle(messages.operator.desk)
  return (
    <OperatorOnly me={me} title={messages.operator.desk}>
      <Desk uid={me?.uid ?? ''} />
    </OperatorOnly>
  )
}

function Desk({ uid }: { uid: string }) {
  const { stage, songId } = useDeskAddress()
  const [failure, setFailure] = useState<{ after: string; text: string } | null>(null)
  const goOn = (deliveredId: string, from: Stage): Promise<void> =>
    openNext(deliveredId, from).catch((error: unknown) =>
      setFailure({ after: deliveredId, text: messages.desk.noNext(errorMessage(error)) }),
    )
  return (
    <>
      <header className={styles.head}>
        <h1>{messages.operator.desk}</h1>
        <Link to="/ops">{messages.ops.title}</Link>
        <LockButton />
      </header>
      <div className={styles.desk}>
        <div className={styles.side}>
          <StageTabs stage={stage} songId={songId} />
          <div role="tabpanel" id="desk-requests" aria-labelledby={`desk-tab-${stage}`}>
            <Requests key={stage} stage={stage} openId={songId} />
          </div>
        </div>
        <div className={styles.main}>
          {failure !== null && failure.after === songId && <FormError text={failure.text} />}
          {songId === null ? (
            <p className={styles.soft}>{messages.desk.choose}</p>
          ) : (
            <DeskSong key={songId} id={songId} uid={uid} stage={stage} onDelivered={goOn} />
          )}
        </div>
      </div>
    </>
  )
}

function StageTabs({ stage, songId }: { stage: Stage; songId: string | null }) {
  return (
    <div role="tablist" aria-label={messages.operator.desk} className={styles.tabs}>
      {STAGES.map((one) => (
        <button
          key={one}
          type="button"
          role="tab"
          id={`desk-tab-${one}`}
          aria-selected={one === stage}
          aria-controls="desk-requests"
          tabIndex={one === stage ? 0 : -1}
          onClick={() => navigate(deskAddress(one, songId))}
          onKeyDown={(event) => moveFocus(event, '[role=tablist]', '[role=tab]')?.click()}
        >
          {messages.desk.tabs[one]}
        </button>
      ))}
    </div>
  )
}

/** After a delivery: the first song of the same tab, else the first that is to do, unless the operator has opened another one meanwhile. */
async function openNext(deliveredId: string, stage: Stage): Promise<void> {
  const stages = new Set<Stage>([stage === 'delivered' ? 'todo' : stage, 'todo'])
  for (const from of stages) {
    const { items } = await api.get<Page<Song>>(`/api/operator/songs?stage=${from}&limit=1`)
    if (!isOpen(deliveredId)) return
    if (items[0]) return navigate(deskAddress(from, items[0].id))
  }
  navigate(deskAddress('todo', null))
}
