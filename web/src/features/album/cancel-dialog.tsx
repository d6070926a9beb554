import { useState } from 'react'
import { type Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { useSong } from '../../api/songs.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from '../../ui/dialog.module.css'
import { FormError } from '../../ui/form-error.tsx'
import { songName } from '../../text/song-name.ts'
import { ALBUM_STYLE_POINTS, truncate } from '../../text/truncate.ts'
import { toast } from '../../ui/toast.tsx'
import { useSongAction } from './use-song-action.ts'

/** Asks once more before a request is taken back; says what happens to its credits. Closed while `song` is null. */
export function CancelDialog({ song, onClose }: { song: Song | null; onClose: () => void }) {
  // the last one, while the dialog fades
  const [shown, setShown] = useState(song)
  if (song !== null && song !== shown) setShown(song)
  return shown && <Question key={shown.id} song={shown} open={song !== null} onClose={onClose} />
}

/** It stays until the request has ended: what is under way is not taken back by closing it. */
function Question(props: { song: Song; open: boolean; onClose: () => void }) {
  const { song: opened, open, onClose } = props
  const current = useSong(opened.id).data ?? opened
  // as it was before it was cancelled, while the dialog fades
  const [song, setSong] = useState(current)
  if (song !== current && current.status === 'pending') setSong(current)
  const { cancel, busy, error } = useSongAction(song.id)
  const [key] = useState(() => crypto.randomUUID())
  const isPaid = song.charge === 'charged'
  const price = song.price ?? SONG_PRICE_CREDITS
  const confirm = async (): Promise<void> => {
    if (!(await cancel(key))) return
    onClose()
    toast.status(isPaid ? messages.order.cancelledPaid(price) : messages.order.cancelled)
  }
  return (
    <Dialog
      title={messages.order.cancelTitle}
      open={open}
      onOpenChange={(isOpen) => !isOpen && !busy && onClose()}
    >
      <div className={`stack gap-4 ${styles.question}`}>
        <p>
          <bdi>{truncate(songName(song), ALBUM_STYLE_POINTS)}</bdi>
        </p>
        <p>{isPaid ? messages.order.cancelPaid(price) : messages.order.cancelUnpaid}</p>
        {error && <FormError key={error.at} text={error.text} />}
        <div className="row">
          <Button variant="primary" busy={busy} onClick={() => void confirm()}>
            {messages.order.cancel}
          </Button>
          <Button disabled={busy} onClick={onClose}>
            {messages.order.keep}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
