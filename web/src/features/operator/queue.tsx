import { useEffect, useReducer } from 'react'
import type { Song } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { ago } from '../../ui/clock.ts'
import { OPERATOR_POINTS, truncate } from '../../ui/truncate.ts'
import styles from './operator.module.css'

const MINUTE_MS = 60_000

/** What is to be made, newest first: how long it has waited and whether it is paid. A row chooses its song for the form. */
export function Queue(props: {
  songs: readonly Song[]
  /** What people owe, by uid. */
  debts: ReadonlyMap<string, number>
  chosen: string
  onChoose: (songId: string) => void
}) {
  useMinutes()
  const { songs, debts, chosen, onChoose } = props
  const oldest = songs.at(-1)
  if (!oldest) return <p className={styles.soft}>{messages.operator.queueEmpty}</p>
  return (
    <details className={styles.queue}>
      <summary>
        <strong>{messages.operator.queue(songs.length)}</strong>
        <span className={`mono ${styles.soft}`}>{messages.operator.oldest(ago(oldest.createdAt))}</span>
      </summary>
      <ul aria-label={messages.operator.queue(songs.length)}>
        {songs.map((song) => (
          <li key={song.id}>
            <button type="button" aria-pressed={song.id === chosen} onClick={() => onChoose(song.id)}>
              <span className={styles.what}>{truncate(song.style, OPERATOR_POINTS)}</span>
              <span className={`mono ${styles.soft}`}>
                <Charge song={song} debt={debts.get(song.uid) ?? 0} /> · {ago(song.createdAt)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Charge({ song, debt }: { song: Song; debt: number }) {
  const isOwed = song.charged && debt > 0
  return (
    <span className={song.charge === 'declined' || isOwed ? styles.low : undefined}>
      {messages.operator.charges[song.charge]}
      {isOwed && `, ${messages.operator.owes(debt)}`}
    </span>
  )
}

/** Ages grow while nothing else changes. */
function useMinutes(): void {
  const [, draw] = useReducer((turn: number) => turn + 1, 0)
  useEffect(() => {
    const timer = setInterval(draw, MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
}
