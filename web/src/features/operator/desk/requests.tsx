import { useEffect, useRef } from 'react'
import { isLate, type Song, type Stage } from '@prelude/contracts'
import { useDebts } from '../../../api/operator.ts'
import type { PagedList } from '../../../api/pages.ts'
import { format, messages } from '../../../messages.ts'
import { Link } from '../../../router.tsx'
import { moveFocus } from '../../../browser/move-focus.ts'
import { useMinuteTick } from '../minute-tick.ts'
import { OperatorList } from '../operator-list.tsx'
import styles from '../operator.module.css'
import { SongSummary, timeOf } from '../song-summary.tsx'

/** What songs of a list stand under: what is late, then each day, then what is not paid for. */
function groupOf(song: Song, stage: Stage): string {
  const { desk } = messages
  if (stage !== 'late' && isLate(song)) return desk.tabs.late
  const at = timeOf(song)
  return at === null ? desk.unpaid : format.day(at)
}

/** The songs of a tab. One of them is in the tab order; arrow keys move between them. */
export function Requests(props: {
  list: PagedList<Song>
  stage: Stage
  openId: string | null
  addressOf: (songId: string) => string
}) {
  const { list, stage, openId, addressOf } = props
  const { desk } = messages
  const tick = useMinuteTick()
  const { debts } = useDebts()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (openId !== null) box.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [openId])
  const ids = list.data?.pages.flatMap(({ items }) => items.map(({ id }) => id)) ?? []
  const tabStop = openId !== null && ids.includes(openId) ? openId : ids[0]
  return (
    <div ref={box} className={styles.requests}>
      <OperatorList list={list} label={desk.requests} empty={desk.empty}>
        {(song, above) => {
          const group = groupOf(song, stage)
          return (
            <li key={song.id}>
              {(above === undefined || groupOf(above, stage) !== group) && <h2>{group}</h2>}
              <Link
                to={addressOf(song.id)}
                className={styles.songRow}
                aria-current={song.id === openId ? 'true' : undefined}
                tabIndex={song.id === tabStop ? 0 : -1}
                onKeyDown={(event) => moveFocus(event, 'ul', 'a')}
              >
                <SongSummary song={song} debt={debts.get(song.uid) ?? 0} isOfDay tick={tick} />
              </Link>
            </li>
          )
        }}
      </OperatorList>
    </div>
  )
}
