import { useState } from 'react'
import { canAccept, changesUntil, deliveredAt, type Song } from '@prelude/contracts'
import { format, messages, siteConfig } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './song-page.module.css'
import { useSongAction } from './use-song-action.ts'

const DAY_MS = 24 * 60 * 60_000

/** What the owner answers to a delivery, and until when. */
export function Answer({ song, onAskChanges }: { song: Song; onAskChanges: () => void }) {
  if (!canAccept(song)) return null
  const canAsk = changesUntil(song, siteConfig) !== null
  const end = format.weekday((deliveredAt(song) ?? 0) + siteConfig.changesDays * DAY_MS)
  return (
    <div className={`row card pale ${styles.answer}`}>
      <p>{messages.library.acceptedOtherwise(end)}</p>
      {canAsk && (
        <Button small onClick={onAskChanges}>
          {messages.order.askChanges}
        </Button>
      )}
      <Accept song={song} end={end} />
    </div>
  )
}

function Accept({ song, end }: { song: Song; end: string }) {
  const { accept, busy, error } = useSongAction(song.id)
  const [isAsking, setAsking] = useState(false)
  const { library, order } = messages
  const confirm = async (): Promise<void> => {
    if (await accept()) toast.status(order.accepted)
  }
  return (
    <>
      <Button small onClick={() => setAsking(true)}>
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
          <p>{library.acceptedOtherwise(end)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
