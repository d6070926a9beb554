import { memo } from 'react'
import type { Song } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { ago } from '../../text/time.ts'
import { excerpt } from './excerpt.ts'
import { useMinuteTick } from './minute-tick.ts'
import styles from './operator.module.css'

/** What was promised first comes first, then requests without a promise, the oldest first. */
export const byPromise = (a: Song, b: Song): number =>
  (a.promisedAt ?? Infinity) - (b.promisedAt ?? Infinity) || a.createdAt - b.createdAt

/** The pending requests in the order in which they are due, with age and payment state. A row selects its song in the upload form. */
export function Queue(props: {
  songs: readonly Song[]
  /** Debts by uid. */
  debts: ReadonlyMap<string, number>
  selected: string
  onSelect: (songId: string) => void
  disabled: boolean
}) {
  const tick = useMinuteTick()
  const { songs, debts, selected, onSelect, disabled } = props
  if (songs.length === 0) return <p className={styles.soft}>{messages.operator.queueEmpty}</p>
  return (
    <details className={styles.queue}>
      <summary>
        <strong>{messages.operator.queue(songs.length)}</strong>
        <span className={`mono ${styles.soft}`}>
          {messages.operator.oldest(ago(Math.min(...songs.map(({ createdAt }) => createdAt))))}
        </span>
      </summary>
      <ul aria-label={messages.operator.queue(songs.length)}>
        {songs.map((song) => (
          <li key={song.id}>
            <button
              type="button"
              aria-pressed={song.id === selected}
              // focusable, so that the list can be scrolled by keyboard
              aria-disabled={disabled || undefined}
              onClick={() => onSelect(song.id)}
            >
              <Row song={song} debt={debts.get(song.uid) ?? 0} tick={tick} />
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Memoised: an event of one song renders one row, of hundreds. */
const Row = memo(function Row({ song, debt }: { song: Song; debt: number; tick: string }) {
  return (
    <>
      <span className={styles.style}>{excerpt(song.style)}</span>
      <span className={`mono ${styles.soft}`}>
        <Charge song={song} debt={debt} /> · {ago(song.createdAt)}
      </span>
    </>
  )
})

/** What was charged for a song, in red where it was nothing or its owner has a debt. */
export function Charge({ song, debt }: { song: Song; debt: number }) {
  const hasDebt = song.charged && debt > 0
  return (
    <span className={song.charge === 'declined' || hasDebt ? styles.low : undefined}>
      {messages.operator.charges[song.charge]}
      {hasDebt && `, ${messages.operator.owes(debt)}`}
    </span>
  )
}
