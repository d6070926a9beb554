import { useState } from 'react'
import type { Me, Stage } from '@prelude/contracts'
import { errorMessage } from '../../../api/client.ts'
import { firstSongOf } from '../../../api/operator.ts'
import { messages } from '../../../messages.ts'
import { Link, navigate } from '../../../router.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { tabId, Tabs } from '../../../ui/tabs.tsx'
import { usePageTitle } from '../../../ui/title.ts'
import { LockButton } from '../lock-button.tsx'
import { OperatorOnly } from '../operator-only.tsx'
import { deskAddress, isOpen, useDeskAddress } from './desk-address.ts'
import { DeskSong } from './desk-song.tsx'
import styles from './desk.module.css'
import { Requests } from './requests.tsx'

const LIST_ID = 'desk-requests'

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
  /** What is next, where the operator still types in the song before. */
  const [next, setNext] = useState<{ after: string; to: string } | null>(null)
  const goOn = async (deliveredId: string, from: Stage): Promise<void> => {
    try {
      const to = await nextAddress(from)
      if (!isOpen(deliveredId)) return
      if (isTyping()) setNext({ after: deliveredId, to })
      else navigate(to)
    } catch (error) {
      setFailure({ after: deliveredId, text: messages.desk.noNext(errorMessage(error)) })
    }
  }
  return (
    <>
      <header className={styles.head}>
        <h1>{messages.operator.desk}</h1>
        <Link to="/ops">{messages.ops.title}</Link>
        <LockButton />
      </header>
      <div className={styles.desk} data-open={songId !== null}>
        <div className={styles.side}>
          <Tabs
            label={messages.operator.desk}
            names={messages.desk.tabs}
            selected={stage}
            panelId={LIST_ID}
            onSelect={(one) => navigate(deskAddress(one, songId), null, { replace: true })}
          />
          <div role="tabpanel" id={LIST_ID} aria-labelledby={tabId(LIST_ID, stage)}>
            <Requests key={stage} stage={stage} openId={songId} />
          </div>
        </div>
        <div className={styles.main}>
          <Link to={deskAddress(stage, null)} className={styles.back}>
            {messages.desk.requests}
          </Link>
          {next !== null && next.after === songId && (
            <p role="status">
              <Link to={next.to}>{messages.desk.next}</Link>
            </p>
          )}
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

/** What follows a delivery: the first song of the same tab, else the first that is to do. */
async function nextAddress(stage: Stage): Promise<string> {
  const stages = new Set<Stage>([stage === 'delivered' ? 'todo' : stage, 'todo'])
  for (const from of stages) {
    const song = await firstSongOf(from)
    if (song) return deskAddress(from, song.id)
  }
  return deskAddress('todo', null)
}

/** Whether keys that are pressed now are written somewhere. */
const isTyping = (): boolean =>
  document.activeElement?.matches('textarea, input:not([type=file], [type=checkbox])') === true
