import { CircleAlert, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  changesUntil,
  deliveredAt,
  isLate,
  type Song,
  SONG_PRICE_CREDITS,
  withLineFeeds,
} from '@prelude/contracts'
import { format, messages, siteConfig } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { useAlbum } from './album-context.tsx'
import { isClosed, promiseOf, replacedAt, saidEarlier } from './order.ts'
import styles from './song-state.module.css'

/** One paragraph: `children`, the state of a song and its consequence for the owner. */
export function SongState(props: { song: Song; className?: string | undefined; children?: ReactNode }) {
  const { song, className = '', children } = props
  return (
    <p className={`soft hint ${styles.state} ${className}`}>
      {children && <>{children} · </>}
      <State song={song} />
    </p>
  )
}

function State({ song }: { song: Song }) {
  const { order } = messages
  if (isClosed(song))
    return (
      <Parts
        icon={<X size={15} />}
        tone="closed"
        parts={[
          (song.status === 'cancelled' || song.status === 'declined') && order.ends[song.status],
          endOf(song),
        ]}
      />
    )
  if (song.status === 'ready') {
    if (song.changes?.state === 'asked')
      return <Parts icon={<Reel />} tone="cooking" parts={[order.changing]} />
    const until = changesUntil(song, siteConfig)
    const replaced = replacedAt(song)
    const at = deliveredAt(song)
    return (
      <Parts
        icon={<span className={styles.dot} />}
        tone="ready"
        parts={[
          <>
            {order.ready} {at !== undefined && <Time at={at} text={format.brief(at)} />}
          </>,
          song.charge === 'gift' && order.gift,
          endOf(song),
          replaced !== null && messages.song.replaced(format.when(replaced)),
          until !== null && order.changesUntil(format.weekday(until)),
        ]}
      />
    )
  }
  if (song.charge === 'declined') return <LowCredits />
  const cooking = (
    <button type="button" disabled className={styles.cooking}>
      {messages.cooking}
    </button>
  )
  const promise = promiseOf(song)
  const promised = promise !== null && <Time at={promise} text={promiseText(song, promise)} />
  if (isLate(song))
    return (
      <Parts
        icon={<CircleAlert size={15} />}
        tone="problem"
        parts={[
          promised,
          song.charge === 'charged' && order.backAtOnce(song.price ?? SONG_PRICE_CREDITS),
          cooking,
        ]}
      />
    )
  return (
    <Parts
      icon={<Reel />}
      tone="cooking"
      parts={[
        cooking,
        song.charge === 'deciding' && messages.album.deciding,
        promised,
        song.charge !== 'deciding' && messages.mailWhenReady,
      ]}
    />
  )
}

function promiseText(song: Song, promise: number): string {
  const { order } = messages
  const when = format.weekday(promise)
  if (isLate(song)) return order.late(when)
  const said = saidEarlier(song)
  return said === null ? messages.promise.readyBy(when) : order.readyLater(when, format.weekday(said))
}

/** The first part in the colour of its tone, separated from the next by a dot. */
function Parts({ icon, tone, parts }: { icon: ReactNode; tone: string; parts: readonly ReactNode[] }) {
  const shown = parts.filter(Boolean)
  return (
    <>
      <span className={styles.first} data-tone={tone}>
        <span aria-hidden className={styles.icon}>
          {icon}
        </span>
        {shown[0]}
      </span>
      {shown.slice(1).map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they have no state
        <span key={index}> · {part}</span>
      ))}
    </>
  )
}

const Time = ({ at, text }: { at: number; text: string }) => (
  <time dateTime={new Date(at).toISOString()} title={format.when(at)}>
    {text}
  </time>
)

/** That the credits came back, and why it ended. */
function endOf({ charge, closedReason, refundReason }: Song): ReactNode {
  const reason = closedReason ?? refundReason
  const isRefunded = charge === 'refunded'
  if (reason === undefined) return isRefunded && messages.album.refunded
  return (
    <>
      {isRefunded && `${messages.album.refunded}: `}
      <bdi>{withLineFeeds(reason)}</bdi>
    </>
  )
}

function LowCredits() {
  const { balance } = useAlbum()
  return (
    <Parts
      icon={<TriangleAlert size={14} />}
      tone="problem"
      parts={[messages.lowCredits, balance !== undefined && messages.needs(SONG_PRICE_CREDITS, balance)]}
    />
  )
}
