import { SONG_PRICE_CREDITS } from '@prelude/contracts'
import { useCredits } from '../api/credits.ts'
import { useNextPromise } from '../api/promise.ts'
import { format, messages } from '../messages.ts'
import styles from './next-promise.module.css'

/** When a song would be ready that is charged now; an empty line while that is not known. */
export function NextPromise() {
  const readyBy = useNextPromise()
  const balance = useCredits()
  const { promise } = messages
  const isShort = balance !== undefined && balance < SONG_PRICE_CREDITS
  return (
    <span className={styles.line}>
      {readyBy !== undefined && (
        <time dateTime={new Date(readyBy).toISOString()} title={format.when(readyBy)}>
          {(isShort ? promise.ifPaidNow : promise.readyBy)(format.weekday(readyBy))}
        </time>
      )}
    </span>
  )
}
