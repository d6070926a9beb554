import { SONG_PRICE_CREDITS } from '@prelude/contracts'
import { useNextPromise } from '../api/promise.ts'
import { format, messages } from '../messages.ts'
import styles from './next-promise.module.css'

/** When a song would be ready that is charged now; an empty line while that is not known. `balance`: of the person who would pay. */
export function NextPromise({ balance }: { balance?: number | undefined }) {
  const readyBy = useNextPromise()
  const { promise } = messages
  const isShort = balance !== undefined && balance < SONG_PRICE_CREDITS
  return (
    <span className={styles.line}>
      {readyBy !== undefined && (
        <time dateTime={new Date(readyBy).toISOString()}>
          {(isShort ? promise.ifPaidNow : promise.readyBy)(format.weekday(readyBy))}
        </time>
      )}
    </span>
  )
}
