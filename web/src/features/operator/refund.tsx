import { useState } from 'react'
import { markDirections, MAX_REASON, type Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { isTextWithin } from '../../text/truncate.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useIdempotentPost } from './operator-list.tsx'
import { titleOf } from './song-summary.tsx'

/** Gives the credits of a song back: instead of making it, or although it was delivered. */
export function Refund({ song }: { song: Song }) {
  const [reason, setReason] = useState('')
  const [isAsking, setAsking] = useState(false)
  const { operator } = messages
  const refunding = useIdempotentPost('POST /api/operator/songs/:id/refund', { params: { id: song.id } })
  const price = song.price ?? SONG_PRICE_CREDITS
  const isDelivered = song.status === 'ready'
  const body = { reason, ...(isDelivered && { delivered: true as const }) }
  return (
    <details>
      <summary>{isDelivered ? operator.refundDelivered : operator.refundInstead}</summary>
      <div className="inline">
        <TextField
          label={operator.reasonForCustomer}
          value={reason}
          most={MAX_REASON}
          onChange={(event) => setReason(event.target.value)}
        />
        {refunding.passwordField}
        <Button small disabled={!isTextWithin(reason, MAX_REASON)} onClick={() => setAsking(true)}>
          {operator.refundCredits}
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          question={operator.songRefundQuestion(price, markDirections(song.username))}
          action={operator.addCredits(price)}
          busy={refunding.busy}
          onConfirm={() => refunding.send(body, operator.creditsRefunded)}
          onClose={() => setAsking(false)}
        >
          <p>{markDirections(song.email)}</p>
          <p>{(isDelivered ? operator.songStays : operator.songNotMade)(titleOf(song))}</p>
          <p>{operator.customerReads(markDirections(reason))}</p>
        </ConfirmDialog>
      )}
    </details>
  )
}
