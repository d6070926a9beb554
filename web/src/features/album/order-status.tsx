import { type ReactNode, useState } from 'react'
import { canAccept, changesUntil, type Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { format, messages, siteConfig } from '../../messages.ts'
import { navigate } from '../../router.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAlbum } from './album-context.tsx'
import { Keeping, type Look } from './keeping.tsx'
import { canCancel, isLate, promiseOf, replacedAt } from './order.ts'
import styles from './order.module.css'
import { useSongAction } from './use-song-action.ts'

/**
 * The state of a song in words, and what its owner can do about it. On the song's own page, where `onAskChanges` opens the
 * form, the actions are buttons, the `main` one first; in the album they must not draw the eye from those of the other songs.
 */
export function OrderStatus(props: { song: Song; onAskChanges?: () => void; main?: ReactNode }) {
  const { song, onAskChanges, main } = props
  const look: Look = onAskChanges ? { small: true } : { variant: 'link' }
  return (
    <div className={`${styles.order} ${onAskChanges ? styles.page : ''}`}>
      <StatusText song={song} />
      {main}
      {canCancel(song) && <CancelButton song={song} look={look} />}
      {canAccept(song) && <Delivered song={song} look={look} onAskChanges={onAskChanges} />}
      <Keeping song={song} look={look} />
    </div>
  )
}

function StatusText({ song }: { song: Song }) {
  const texts = textsOf(song)
  const until = changesUntil(song, siteConfig)
  const replaced = replacedAt(song)
  return (
    <p className={`mono ${styles.state}`}>
      {song.status === 'pending' && song.charge === 'declined' ? <LowCredits /> : texts}
      <ReadyBy song={song} />
      {until !== null && <span>{messages.order.changesUntil(format.weekday(until))}</span>}
      {replaced !== null && <span>{messages.song.replaced(format.when(replaced))}</span>}
    </p>
  )
}

function textsOf({ status, charge, changes, refundReason, closedReason }: Song) {
  const reason = closedReason ?? refundReason
  if (charge === 'refunded' || closedReason !== null)
    return (
      <span>
        {charge === 'refunded' && messages.album.refunded}
        {charge === 'refunded' && reason !== undefined && ': '}
        {reason !== undefined && <bdi>{reason}</bdi>}
      </span>
    )
  if (status === 'ready' && changes?.state === 'asked') return <span>{messages.order.changing}</span>
  if (status !== 'pending') return null
  if (charge === 'charged') return <span>{messages.mailWhenReady}</span>
  return charge === 'deciding' ? <span>{messages.album.deciding}</span> : null
}

function LowCredits() {
  const { balance } = useAlbum()
  return (
    <>
      <span className={styles.low}>{messages.lowCredits}</span>
      {balance !== undefined && <span>{messages.needs(SONG_PRICE_CREDITS, balance)}</span>}
    </>
  )
}

function ReadyBy({ song }: { song: Song }) {
  const promisedAt = promiseOf(song)
  if (promisedAt === null) return null
  const when = format.weekday(promisedAt)
  const time = { dateTime: new Date(promisedAt).toISOString(), title: format.when(promisedAt) }
  return isLate(song) ? (
    <time {...time} className={styles.low}>
      {messages.order.late(when)}
    </time>
  ) : (
    <time {...time} className={styles.promise}>
      {messages.order.readyBy(when)}
    </time>
  )
}

function CancelButton({ song, look }: { song: Song; look: Look }) {
  const { cancel } = useAlbum()
  return (
    <Button {...look} onClick={() => cancel(song)}>
      {messages.order.cancel}
    </Button>
  )
}

/** Its owner has a few days to say what should change; in the album that leads to the song's own page. */
function Delivered(props: { song: Song; look: Look; onAskChanges: (() => void) | undefined }) {
  const { song, look, onAskChanges } = props
  const ask = onAskChanges ?? (() => navigate(`/songs/${song.id}`, { askChanges: true }))
  return (
    <>
      {changesUntil(song, siteConfig) !== null && (
        <Button {...look} onClick={ask}>
          {messages.order.askChanges}
        </Button>
      )}
      {onAskChanges && <Accept song={song} look={look} />}
    </>
  )
}

function Accept({ song, look }: { song: Song; look: Look }) {
  const { accept, busy, error } = useSongAction(song.id)
  const [isAsking, setAsking] = useState(false)
  const { library, order } = messages
  const confirm = async (): Promise<void> => {
    if (await accept()) toast.status(order.accepted)
  }
  return (
    <>
      <Button {...look} onClick={() => setAsking(true)}>
        {order.accept}
      </Button>
      {error && <FormError key={error.at} text={error.text} />}
      {isAsking && (
        <ConfirmDialog
          question={library.acceptTitle}
          action={order.accept}
          back={library.notYet}
          busy={busy}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>{library.acceptEnds}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
