import { useEffect, useRef, useState } from 'react'
import { markDirections, type Song, type Stage, withLineFeeds } from '@prelude/contracts'
import { useDebts, useOperatorList, useOperatorSong } from '../../../api/operator.ts'
import { messages } from '../../../messages.ts'
import { Link } from '../../../router.tsx'
import { BriefList } from '../../../ui/brief-list.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Thread } from '../../../thread/thread.tsx'
import { Strong } from '../../../ui/strong.tsx'
import { ago } from '../../../text/time.ts'
import { useDelivery } from '../delivery.ts'
import { useMinuteTick } from '../minute-tick.ts'
import { OperatorList } from '../operator-list.tsx'
import { PlayButton } from '../ready-songs.tsx'
import { Refund } from '../refund.tsx'
import { ReplaceVersion } from '../replace-version.tsx'
import { StateMade } from '../state-made.tsx'
import { AskedChanges } from './asked-changes.tsx'
import { DeliveryForm } from './delivery-form.tsx'
import { deskAddress } from './desk-address.ts'
import styles from './desk.module.css'
import { InternalNote } from './internal-note.tsx'
import { Due, SongSummary, titleOf } from './requests.tsx'
import { StudioActions } from './studio-actions.tsx'

/** The song that is open beside the list. */
export function DeskSong(props: {
  id: string
  /** The operator's own. */
  uid: string
  stage: Stage
  onDelivered: (songId: string, stage: Stage) => Promise<void>
}) {
  const query = useOperatorSong(props.id)
  if (!query.data) return <QueryState query={query} variant="inline" />
  return <OpenSong {...props} song={query.data} />
}

function OpenSong(props: Parameters<typeof DeskSong>[0] & { song: Song }) {
  const { song, uid, stage } = props
  const debt = useDebts().debts.get(song.uid) ?? 0
  const delivery = useDelivery()
  const isDelivering = delivery?.song.id === song.id
  const [wantsGift, setWantsGift] = useState(false)
  const isUnpaid = song.status === 'pending' && (song.charge === 'declined' || song.charge === 'refunded')
  const isGift = isUnpaid && wantsGift
  const title = titleOf(song)
  const canDeliver = song.status === 'pending' || song.changes?.state === 'asked'
  return (
    <section className={styles.song} aria-label={title}>
      <SongHead song={song} title={title} />
      {song.charged && debt > 0 && (
        <p className={styles.late}>
          <Strong text={messages.operator.ownerOwes(debt)} />
        </p>
      )}
      {isUnpaid && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={wantsGift}
            disabled={isDelivering}
            onChange={(event) => setWantsGift(event.target.checked)}
          />
          <span>
            <Strong text={messages.operator.notCharged} />
          </span>
        </label>
      )}
      {song.status === 'pending' && <StudioActions song={song} gift={isGift} />}
      <Words song={song} />
      {song.changes && (
        <AskedChanges key={song.changes.askedAt} song={song} changes={song.changes} uid={uid} />
      )}
      {song.status === 'ready' && <DeliveredVersions song={song} />}
      {canDeliver && (
        <DeliveryForm
          song={song}
          kind={song.status === 'ready' ? 'changes' : isGift ? 'gift' : 'song'}
          onDelivered={() => props.onDelivered(song.id, stage)}
        />
      )}
      <Thread song={song} side="studio" />
      <InternalNote song={song} />
      <OtherSongs song={song} stage={stage} />
    </section>
  )
}

/** Receives the focus when the song is opened, so that a keyboard goes on from here and a phone shows it. */
function SongHead({ song, title }: { song: Song; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // after the router has scrolled to the top
    const frame = requestAnimationFrame(() => heading.current?.focus())
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <div>
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h2>
      <p>{markDirections(`${song.username} · ${song.email}`)}</p>
      {song.mailsRefused && <p className={styles.late}>{messages.operator.mailsRefused}</p>}
      <p className={styles.soft}>
        {messages.operator.charges[song.charge]} · {messages.desk.requested(ago(song.createdAt))}
        {song.startedAt !== null && ` · ${messages.desk.startedAt(ago(song.startedAt))}`}
      </p>
      <p>
        <Due song={song} />
      </p>
      {song.closedReason !== null && (
        <p>{messages.operator.reasonGiven(markDirections(song.closedReason))}</p>
      )}
      {song.correctedAt !== undefined && <p>{messages.desk.corrected(ago(song.correctedAt))}</p>}
    </div>
  )
}

function Words({ song }: { song: Song }) {
  const { album, request } = messages
  return (
    <>
      <div className={styles.copied}>
        <h3>{request.style}</h3>
        <CopyButton label={album.copyStyle} text={song.style} done={messages.styleCopied} />
      </div>
      <p dir="auto">{markDirections(song.style)}</p>
      <div className={styles.copied}>
        <h3>{request.lyrics}</h3>
        <CopyButton label={album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
      </div>
      <p dir="auto" className={styles.lyrics}>
        {markDirections(withLineFeeds(song.lyrics))}
      </p>
      {song.brief && <BriefList brief={song.brief} />}
    </>
  )
}

/** What the person has now, and what can be done when it is wrong: another file, or the credits back. */
function DeliveredVersions({ song }: { song: Song }) {
  return (
    <>
      <div className={styles.row}>
        <PlayButton song={song} version={1} />
        <PlayButton song={song} version={2} />
      </div>
      <ReplaceVersion song={song} />
      <StateMade key={JSON.stringify(song.made)} song={song} />
      {song.charge === 'charged' && <Refund song={song} />}
    </>
  )
}

function OtherSongs({ song, stage }: { song: Song; stage: Stage }) {
  const list = useOperatorList('songs', { uid: song.uid })
  const tick = useMinuteTick()
  return (
    <div className={styles.others}>
      <h3>{messages.desk.others}</h3>
      <OperatorList
        list={list}
        label={messages.desk.others}
        empty={messages.desk.noOthers}
        isShown={({ id }) => id !== song.id}
      >
        {(other) => (
          <li key={other.id}>
            <Link to={deskAddress(stage, other.id)}>
              <SongSummary song={other} debt={0} tick={tick} />
            </Link>
          </li>
        )}
      </OperatorList>
    </div>
  )
}
