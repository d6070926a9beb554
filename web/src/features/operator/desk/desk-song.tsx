import { type ReactNode, useEffect, useRef, useState } from 'react'
import { deliveredAt, isLate, markDirections, type Song, withLineFeeds } from '@prelude/contracts'
import { useDebts, useOperatorList, useOperatorSong } from '../../../api/operator.ts'
import { format, messages, siteConfig } from '../../../messages.ts'
import { Link } from '../../../router.tsx'
import { BriefList } from '../../../ui/brief-list.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Thread } from '../../../thread/thread.tsx'
import { Strong } from '../../../ui/strong.tsx'
import { ago } from '../../../text/time.ts'
import { type Files, NO_FILES, useDelivery } from '../delivery.ts'
import { useMinuteTick } from '../minute-tick.ts'
import { OperatorList } from '../operator-list.tsx'
import rows from '../operator.module.css'
import { PlayButton } from '../ready-songs.tsx'
import { Refund } from '../refund.tsx'
import { ReplaceVersion } from '../replace-version.tsx'
import { SongSummary, titleOf } from '../song-summary.tsx'
import { StateMade } from '../state-made.tsx'
import { AskedChanges } from './asked-changes.tsx'
import { DeliveryForm } from './delivery-form.tsx'
import { deskAddress, useDeskAddress } from './desk-address.ts'
import styles from './desk.module.css'
import { Drafts } from './drafts.tsx'
import { InternalNote } from './internal-note.tsx'
import { Checkbox } from '../../../ui/field.tsx'
import { StudioActions } from './studio-actions.tsx'

/** The song that is open beside the list. */
export function DeskSong(props: {
  id: string
  /** The operator's own. */
  uid: string
  onDelivered: (song: Song) => Promise<void>
}) {
  const query = useOperatorSong(props.id)
  if (!query.data) return <QueryState query={query} variant="inline" />
  return <OpenSong {...props} song={query.data} />
}

function OpenSong(props: Parameters<typeof DeskSong>[0] & { song: Song }) {
  const { song, uid } = props
  const debt = useDebts().debts.get(song.uid) ?? 0
  const delivery = useDelivery()
  const isDelivering = delivery?.song.id === song.id
  const [wantsGift, setWantsGift] = useState(false)
  const [files, setFiles] = useState<Files>(NO_FILES)
  const isUnpaid = song.status === 'pending' && (song.charge === 'declined' || song.charge === 'refunded')
  const isGift = isUnpaid && wantsGift
  const title = titleOf(song)
  const canDeliver = song.status === 'pending' || song.changes?.state === 'asked'
  // of the two, the one that is to be done next is filled
  const isToStart =
    song.status === 'pending' && song.startedAt === null && !files[0] && !files[1] && !isDelivering
  return (
    <section className={`card ${styles.song}`} aria-label={title}>
      <SongHead title={title}>
        {song.status === 'pending' && <StudioActions song={song} gift={isGift} isToStart={isToStart} />}
      </SongHead>
      <About song={song} />
      {song.charged && debt > 0 && (
        <p className="bad">
          <Strong text={messages.operator.ownerOwes(debt)} />
        </p>
      )}
      {isUnpaid && (
        <Checkbox checked={wantsGift} disabled={isDelivering} onChange={setWantsGift}>
          <span>
            <Strong text={messages.operator.notCharged} />
          </span>
        </Checkbox>
      )}
      <div className={`stack gap-4 ${styles.columns}`}>
        <div className={`stack gap-4 ${styles.column}`}>
          <Words song={song} />
          <InternalNote song={song} />
        </div>
        <div className={`stack gap-4 ${styles.column} ${styles.work}`}>
          {song.changes && (
            <AskedChanges key={song.changes.askedAt} song={song} changes={song.changes} uid={uid} />
          )}
          {siteConfig.generator && song.closedAt === null && (
            <Drafts song={song} files={files} onChoose={canDeliver && !isDelivering ? setFiles : null} />
          )}
          {canDeliver && (
            <DeliveryForm
              song={song}
              kind={song.status === 'ready' ? 'changes' : isGift ? 'gift' : 'song'}
              chosen={files}
              onChoose={setFiles}
              isMain={!isToStart}
              onDelivered={() => props.onDelivered(song)}
            />
          )}
          {song.status === 'ready' && <DeliveredVersions song={song} />}
        </div>
        <div className={`stack gap-4 ${styles.column}`}>
          <Thread song={song} side="studio" />
          <OtherSongs song={song} />
        </div>
      </div>
    </section>
  )
}

/** Its title receives the focus when the song is opened, so that a keyboard goes on from here and a phone shows it. */
function SongHead({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // after the router has scrolled to the top
    const frame = requestAnimationFrame(() => heading.current?.focus())
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <div className={`row split ${styles.head}`}>
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h2>
      {children}
    </div>
  )
}

function About({ song }: { song: Song }) {
  return (
    <div>
      <p>{markDirections(`${song.username} · ${song.email}`)}</p>
      {song.mailsRefused && <p className="bad">{messages.operator.mailsRefused}</p>}
      <p className="soft">
        {messages.operator.charges[song.charge]} · {messages.desk.requested(ago(song.createdAt))}
        {song.startedAt !== null && ` · ${messages.desk.startedAt(ago(song.startedAt))}`}
      </p>
      <p>
        <Due song={song} />
      </p>
      {song.closedReason !== null && (
        <p>{messages.operator.reasonGiven(markDirections(withLineFeeds(song.closedReason)))}</p>
      )}
      {song.correctedAt !== undefined && <p>{messages.desk.corrected(ago(song.correctedAt))}</p>}
    </div>
  )
}

/** What the operator owes for a song, and until when; of a finished one when it was finished. */
export function Due({ song }: { song: Song }) {
  const { promisedAt, changes, closedAt } = song
  const arrivedAt = deliveredAt(song)
  const { desk, order, promise } = messages
  if (closedAt !== null) return <span className="soft">{desk.closed(ago(closedAt))}</span>
  if (changes?.state === 'asked') return <span>{desk.changesAsked(ago(changes.askedAt))}</span>
  if (arrivedAt !== undefined) return <span className="soft">{desk.delivered(ago(arrivedAt))}</span>
  if (promisedAt === null || song.charge === 'refunded') return null
  const when = format.when(promisedAt)
  return isLate(song) ? <span className="bad">{order.late(when)}</span> : <span>{promise.readyBy(when)}</span>
}

function Words({ song }: { song: Song }) {
  const { album, request } = messages
  const lyrics = withLineFeeds(song.lyrics)
  return (
    <>
      <div className="stack gap-1">
        <div className={rows.copied}>
          <h3>{request.style}</h3>
          <CopyButton label={album.copyStyle} text={song.style} done={messages.styleCopied} />
        </div>
        <p dir="auto">{markDirections(withLineFeeds(song.style))}</p>
      </div>
      {song.brief && (
        <div>
          <BriefList brief={song.brief} />
        </div>
      )}
      <div className="stack gap-1">
        <div className={rows.copied}>
          <h3>{request.lyrics}</h3>
          <span className="soft">{messages.operator.lines(lyrics.trimEnd().split('\n').length)}</span>
          <CopyButton label={album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
        </div>
        <p dir="auto" className={styles.lyrics}>
          {markDirections(lyrics)}
        </p>
      </div>
    </>
  )
}

/** What the person has now, and what can be done when it is wrong: another file, or the credits back. */
function DeliveredVersions({ song }: { song: Song }) {
  return (
    <>
      <div className="row">
        <PlayButton song={song} version={1} />
        <PlayButton song={song} version={2} />
      </div>
      <ReplaceVersion song={song} />
      <StateMade key={JSON.stringify(song.made)} song={song} />
      {song.charge === 'charged' && <Refund song={song} />}
    </>
  )
}

function OtherSongs({ song }: { song: Song }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{messages.desk.others}</summary>
      {isOpen && <SongsOf song={song} />}
    </details>
  )
}

function SongsOf({ song }: { song: Song }) {
  const shown = useDeskAddress()
  const list = useOperatorList('songs', { uid: song.uid })
  const tick = useMinuteTick()
  return (
    <div className={rows.requests}>
      <OperatorList
        list={list}
        label={messages.desk.others}
        empty={messages.desk.noOthers}
        isShown={({ id }) => id !== song.id}
      >
        {(other) => (
          <li key={other.id}>
            <Link to={deskAddress({ ...shown, songId: other.id })} className={rows.songRow}>
              <SongSummary song={other} debt={0} tick={tick} />
            </Link>
          </li>
        )}
      </OperatorList>
    </div>
  )
}
