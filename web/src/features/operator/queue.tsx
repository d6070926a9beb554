import { isLate, type Song } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { ago } from '../../text/time.ts'
import { useMinuteTick } from './minute-tick.ts'
import styles from './operator.module.css'
import { SongSummary } from './song-summary.tsx'

/** What was promised first comes first, then requests without a promise, the oldest first. */
export const byPromise = (a: Song, b: Song): number =>
  (a.promisedAt ?? Infinity) - (b.promisedAt ?? Infinity) || a.createdAt - b.createdAt

/** The pending requests in the order in which they are due. A row selects its song in the upload form. */
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
  const { desk, operator } = messages
  if (songs.length === 0) return <p className="soft">{operator.queueEmpty}</p>
  const late = songs.filter(isLate).length
  return (
    <details className={styles.queue}>
      <summary>
        <strong>{operator.queue(songs.length)}</strong>
        {late > 0 && <span className="bad">{desk.lateSongs(late)}</span>}
        <span className="soft">
          {operator.oldest(ago(Math.min(...songs.map(({ createdAt }) => createdAt))))}
        </span>
      </summary>
      <ul aria-label={operator.queue(songs.length)}>
        {songs.map((song) => (
          <li key={song.id}>
            <button
              type="button"
              className={styles.songRow}
              aria-pressed={song.id === selected}
              // focusable, so that the list can be scrolled by keyboard
              aria-disabled={disabled || undefined}
              onClick={() => onSelect(song.id)}
            >
              <SongSummary song={song} debt={debts.get(song.uid) ?? 0} tick={tick} />
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}
