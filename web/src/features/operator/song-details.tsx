import { useState } from 'react'
import { markDirections, MAX_REASON, type Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Strong } from '../../ui/strong.tsx'
import { ago } from '../../ui/time.ts'
import { useIdempotentPost } from './operator-list.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { excerpt } from './excerpt.ts'
import styles from './operator.module.css'

/** The selected request in full, with a refund when it is charged and a gift when it is not. */
export function SongDetails({
  song,
  debt,
  gift,
  onGift,
}: {
  song: Song
  /** The owner's debt in credits. */
  debt: number
  gift: boolean
  /** Null while the song is delivered. */
  onGift: ((gift: boolean) => void) | null
}) {
  return (
    <div className={styles.song}>
      <p className={styles.soft}>
        {markDirections(`${song.username} · ${song.email}`)} · {ago(song.createdAt)}
      </p>
      <div className={styles.copied}>
        <p dir="auto">{markDirections(song.style)}</p>
        <CopyButton label={messages.album.copyStyle} text={song.style} done={messages.styleCopied} />
      </div>
      <div className={styles.copied}>
        <span className={styles.label}>{messages.request.lyrics}</span>
        <CopyButton label={messages.album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
      </div>
      <pre dir="auto" tabIndex={0} role="region" aria-label={messages.operator.lyrics}>
        {markDirections(song.lyrics)}
      </pre>
      {song.charged && debt > 0 && (
        <p className={styles.low}>
          <Strong text={messages.operator.ownerOwes(debt)} />
        </p>
      )}
      {song.charged ? (
        <Refund song={song} />
      ) : (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={gift}
            disabled={onGift === null}
            onChange={(event) => onGift?.(event.target.checked)}
          />
          <span>
            <Strong text={messages.operator.notCharged} />
          </span>
        </label>
      )}
    </div>
  )
}

function Refund({ song }: { song: Song }) {
  const [reason, setReason] = useState('')
  const [isAsking, setAsking] = useState(false)
  const { operator } = messages
  const refunding = useIdempotentPost(`/api/operator/songs/${song.id}/refund`)
  return (
    <details>
      <summary>{messages.operator.refundInstead}</summary>
      <div className={styles.inline}>
        <TextField
          label={operator.reasonForCustomer}
          value={reason}
          maxLength={MAX_REASON}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button small disabled={reason.trim() === ''} onClick={() => setAsking(true)}>
          {operator.refundCredits}
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          question={operator.songRefundQuestion(SONG_PRICE_CREDITS, markDirections(song.username))}
          action={operator.addCredits(SONG_PRICE_CREDITS)}
          busy={refunding.busy}
          onConfirm={() => refunding.send({ reason }, operator.creditsRefunded)}
          onClose={() => setAsking(false)}
        >
          <p>{markDirections(song.email)}</p>
          <p>{operator.songNotMade(excerpt(song.style))}</p>
          <p>{operator.customerReads(markDirections(reason))}</p>
        </ConfirmDialog>
      )}
    </details>
  )
}
