import { memo } from 'react'
import { deliveredAt, isLate, type Song } from '@prelude/contracts'
import { format, messages } from '../../messages.ts'
import { songName } from '../../text/song-name.ts'
import { ago } from '../../text/time.ts'
import { excerpt } from './excerpt.ts'
import styles from './operator.module.css'

export const titleOf = (song: Song): string => excerpt(songName(song))

/** The time that a song has in the operator's lists: of its promise while it is owed, else of what happened last. */
export function timeOf(song: Song): number | null {
  if (song.closedAt !== null) return song.closedAt
  if (song.changes?.state === 'asked') return song.changes.askedAt
  return deliveredAt(song) ?? (song.charge === 'refunded' ? null : song.promisedAt)
}

/**
 * A song as two lines: title and time, person and charge. `isOfDay`: the day is said above it. Memoised with `tick`: an event of
 * one song renders one row, of hundreds.
 */
export const SongSummary = memo(function SongSummary(props: {
  song: Song
  debt: number
  isOfDay?: boolean
  tick: string
}) {
  const { song, debt, isOfDay = false } = props
  return (
    <>
      <span className={styles.line}>
        <strong dir="auto">{titleOf(song)}</strong>
        <SongTime song={song} isOfDay={isOfDay} />
      </span>
      <span className={`${styles.line} soft`}>
        <span dir="auto">{excerpt(song.username)}</span>
        <span className="hint">
          <Charge song={song} debt={debt} /> · {/* one of them, so that the name has room */}
          {song.messages.unread > 0 ? (
            <strong>{messages.thread.unread(song.messages.unread)}</strong>
          ) : (
            ago(song.createdAt)
          )}
        </span>
      </span>
    </>
  )
})

const lateness = (at: number, now = Date.now()): string => messages.desk.lateBy(format.elapsed(now - at))

function SongTime({ song, isOfDay }: { song: Song; isOfDay: boolean }) {
  const at = timeOf(song)
  if (at === null) return null
  const text = isOfDay ? format.hour(at) : format.brief(at)
  return (
    <time dateTime={new Date(at).toISOString()} className={`mono ${isLate(song) ? 'bad' : ''}`}>
      {isLate(song) ? lateness(at) : text}
    </time>
  )
}

/** What was charged for a song, in red where it was nothing or its owner has a debt. */
export function Charge({ song, debt }: { song: Song; debt: number }) {
  const hasDebt = song.charged && debt > 0
  return (
    <span className={song.charge === 'declined' || hasDebt ? 'bad' : undefined}>
      {messages.operator.charges[song.charge]}
      {hasDebt && `, ${messages.operator.owes(debt)}`}
    </span>
  )
}
