import { useEffect, useRef, useState } from 'react'
import type { Me, Song } from '@prelude/contracts'
import { errorMessage } from '../../../api/client.ts'
import { firstSongOf, useOperatorList, useStageCounts } from '../../../api/operator.ts'
import { messages } from '../../../messages.ts'
import { Link, navigate } from '../../../router.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { tabId, Tabs } from '../../../ui/tabs.tsx'
import { DeskHead } from '../desk-head.tsx'
import { OperatorOnly } from '../operator-only.tsx'
import { nameOf } from '../person.ts'
import { deskAddress, isOpen, useDeskAddress } from './desk-address.ts'
import { isTyping, Keys } from './desk-keys.tsx'
import { DeskSearch } from './desk-search.tsx'
import { DeskSong } from './desk-song.tsx'
import styles from './desk.module.css'
import { Checkbox } from '../../../ui/field.tsx'
import { Requests } from './requests.tsx'

const LIST_ID = 'desk-requests'

/** The operator's work place: requests by what is to be done with them, and one of them beside the list. */
export default function DeskPage({ me }: { me: Me | null }) {
  return (
    <OperatorOnly me={me} title={messages.bar.desk}>
      <Desk uid={me?.uid ?? ''} />
    </OperatorOnly>
  )
}

/** What is said over an open song after a delivery, with a link to another one. */
interface Said {
  readonly over: string | null
  readonly text: string
  readonly link?: { readonly to: string; readonly text: string }
}

function Desk({ uid }: { uid: string }) {
  const { desk } = messages
  const shown = useDeskAddress()
  const { stage, songId, q } = shown
  const [isUnread, setUnread] = useState(false)
  const list = useOperatorList('songs', {
    ...(isUnread ? { unread: 'true' } : { stage }),
    ...(q !== '' && { q }),
  })
  const counts = useStageCounts(q)
  const ids = list.data?.pages.flatMap(({ items }) => items.map(({ id }) => id)) ?? []
  const at = songId === null ? -1 : ids.indexOf(songId)
  const next = ids[at + 1]
  const afterDelivery = useAfterDelivery(ids, songId)
  const [said, setSaid] = useState<Said | null>(null)
  const addressOf = (id: string | null): string => deskAddress({ ...shown, songId: id })

  const goOn = async (delivered: Song): Promise<void> => {
    const text = desk.deliveredTo(nameOf({ name: delivered.username, email: delivered.email }))
    try {
      const following = afterDelivery(delivered.id)
      const to = following ? addressOf(following) : await firstToDo()
      if (!isOpen(delivered.id)) return
      if (isTyping()) setSaid({ over: delivered.id, text, link: { to, text: desk.next } })
      else {
        const over = new URLSearchParams(to.split('?')[1]).get('song')
        setSaid({ over, text, link: { to: addressOf(delivered.id), text: desk.backToIt } })
        navigate(to)
      }
    } catch (error) {
      setSaid({ over: delivered.id, text: desk.noNext(errorMessage(error)) })
    }
  }
  return (
    <>
      <DeskHead>
        <DeskSearch />
        <Keys />
      </DeskHead>
      <div className={`stack ${styles.desk}`} data-open={songId !== null}>
        <div className={styles.tabs}>
          <Tabs
            label={messages.bar.desk}
            names={desk.tabs}
            counts={counts ?? undefined}
            selected={stage}
            panelId={LIST_ID}
            onSelect={(one) => {
              // unread songs are those of all tabs
              setUnread(false)
              navigate(deskAddress({ ...shown, stage: one }), null, { replace: true })
            }}
          />
        </div>
        <div
          role="tabpanel"
          id={LIST_ID}
          aria-labelledby={tabId(LIST_ID, stage)}
          className={`stack ${styles.side}`}
        >
          <Checkbox checked={isUnread} onChange={setUnread}>
            {desk.unread}
          </Checkbox>
          <Requests key={stage} list={list} stage={stage} openId={songId} addressOf={addressOf} />
        </div>
        <div className={`stack ${styles.main}`}>
          {songId !== null && (
            <nav aria-label={desk.requests} className={styles.bar}>
              <Link to={addressOf(null)} className={styles.back}>
                ‹ {desk.tabs[stage]}
              </Link>
              {at >= 0 && (
                <span className="mono">
                  <span className={styles.back}>· </span>
                  {desk.position(at + 1, (isUnread ? undefined : counts?.[stage]) ?? ids.length)}
                </span>
              )}
              {next !== undefined && (
                <Link to={addressOf(next)} aria-keyshortcuts="n">
                  {desk.following} ›
                </Link>
              )}
            </nav>
          )}
          {said?.over === songId && <Saying said={said} />}
          {songId === null ? (
            <p className="soft">{desk.choose}</p>
          ) : (
            <DeskSong key={songId} id={songId} uid={uid} onDelivered={goOn} />
          )}
        </div>
      </div>
    </>
  )
}

const Saying = ({ said: { text, link } }: { said: Said }) =>
  link ? (
    <p role="status" className={styles.said}>
      {text} <Link to={link.to}>{link.text}</Link>
    </p>
  ) : (
    <FormError text={text} />
  )

/** Answers the song that follows a delivered one in the list, which the delivered one may have left by then; else its first. */
function useAfterDelivery(ids: readonly string[], songId: string | null) {
  const latest = useRef({ ids, withOpen: ids })
  useEffect(() => {
    const isListed = songId !== null && ids.includes(songId)
    latest.current = { ids, withOpen: isListed ? ids : latest.current.withOpen }
  })
  return (deliveredId: string): string | undefined => {
    const { withOpen, ids: now } = latest.current
    const later = withOpen.slice(withOpen.indexOf(deliveredId) + 1)
    const others = now.filter((id) => id !== deliveredId)
    return later.find((id) => others.includes(id)) ?? others[0]
  }
}

const firstToDo = async (): Promise<string> =>
  deskAddress({ stage: 'todo', songId: (await firstSongOf('todo'))?.id ?? null, q: '' })
