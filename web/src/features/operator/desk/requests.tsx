import { memo, useState } from 'react'
import { deliveredAt, type Song, type Stage } from '@prelude/contracts'
import { useDebts, useOperatorList } from '../../../api/operator.ts'
import { format, messages } from '../../../messages.ts'
import { Link } from '../../../router.tsx'
import { songName } from '../../../text/song-name.ts'
import { ago } from '../../../text/time.ts'
import { excerpt } from '../excerpt.ts'
import { useMinuteTick } from '../minute-tick.ts'
import { OperatorList } from '../operator-list.tsx'
import { Charge } from '../queue.tsx'
import { deskAddress } from './desk-address.ts'
import styles from './desk.module.css'
import { moveFocus } from '../../../ui/move-focus.ts'

export const titleOf = (song: Song): string => excerpt(songName(song))

/** The songs of a tab. One of them is in the tab order; arrow keys move between them. */
export function Requests({ stage, openId }: { stage: Stage; openId: string | null }) {
  const tick = useMinuteTick()
  const [isUnread, setUnread] = useState(false)
  const list = useOperatorList('songs', isUnread ? { unread: 'true' } : { stage })
  const { debts } = useDebts()
  const ids = list.data?.pages.flatMap(({ items }) => items.map(({ id }) => id)) ?? []
  const tabStop = openId !== null && ids.includes(openId) ? openId : ids[0]
  return (
    <div className={styles.requests}>
      <label className={styles.check}>
        <input type="checkbox" checked={isUnread} onChange={(event) => setUnread(event.target.checked)} />
        {messages.desk.unread}
      </label>
      <OperatorList list={list} label={messages.desk.requests} empty={messages.desk.empty}>
        {(song) => (
          <li key={song.id}>
            <Link
              to={deskAddress(stage, song.id)}
              aria-current={song.id === openId ? 'true' : undefined}
              tabIndex={song.id === tabStop ? 0 : -1}
              onKeyDown={(event) => moveFocus(event, 'ul', 'a')}
            >
              <SongSummary song={song} debt={debts.get(song.uid) ?? 0} tick={tick} />
            </Link>
          </li>
        )}
      </OperatorList>
    </div>
  )
}

/** Memoised: an event of one song renders one row, of hundreds. */
export const SongSummary = memo(function SongSummary({
  song,
  debt,
}: {
  song: Song
  debt: number
  tick: string
}) {
  return (
    <>
      <strong dir="auto">{titleOf(song)}</strong>
      <span className={styles.soft}>{excerpt(song.username)}</span>
      <span className={`mono ${styles.soft}`}>
        <Charge song={song} debt={debt} /> · {ago(song.createdAt)}
      </span>
      <Due song={song} />
      {song.messages.unread > 0 && <strong>{messages.thread.unread(song.messages.unread)}</strong>}
    </>
  )
})

/** What the operator owes for a song, and until when; of a finished one when it was finished. */
export function Due({ song }: { song: Song }) {
  const { promisedAt, changes, closedAt } = song
  const arrivedAt = deliveredAt(song)
  const { desk } = messages
  if (closedAt !== null) return <span className={styles.soft}>{desk.closed(ago(closedAt))}</span>
  if (changes?.state === 'asked') return <span>{desk.changesAsked(ago(changes.askedAt))}</span>
  if (arrivedAt !== undefined) return <span className={styles.soft}>{desk.delivered(ago(arrivedAt))}</span>
  if (promisedAt === null || song.charge === 'refunded') return null
  const when = format.when(promisedAt)
  const isLate = song.timeline.some(({ state }) => state === 'late')
  return isLate ? <span className={styles.late}>{desk.late(when)}</span> : <span>{desk.readyBy(when)}</span>
}
