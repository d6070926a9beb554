import { type ReactNode, useState } from 'react'
import { canAccept, changesUntil, type Song } from '@prelude/contracts'
import { messages, siteConfig } from '../../messages.ts'
import { navigate } from '../../router.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAlbum } from './album-context.tsx'
import { Keeping, type Look } from './keeping.tsx'
import { canCancel } from './order.ts'
import styles from './order.module.css'
import { SongState } from './song-state.tsx'
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
      <SongState song={song} />
      {main}
      {canCancel(song) && <CancelButton song={song} look={look} />}
      {canAccept(song) && <Delivered song={song} look={look} onAskChanges={onAskChanges} />}
      <Keeping song={song} look={look} />
    </div>
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
