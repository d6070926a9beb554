import { type ReactNode, useRef, useState } from 'react'
import { markDirections, MAX_REASON, type Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { isTextWithin } from '../../../text/truncate.ts'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { useIdempotentPost } from '../operator-list.tsx'
import styles from './desk.module.css'

/** Start or Release, and Decline, of a request that is not delivered. */
export function StudioActions({ song, gift }: { song: Song; gift: boolean }) {
  const { desk } = messages
  const params = { id: song.id }
  const starting = useIdempotentPost('POST /api/operator/songs/:id/start', {
    params,
    query: { gift: gift || undefined },
  })
  const releasing = useIdempotentPost('POST /api/operator/songs/:id/release', { params })
  const [isDeclining, setDeclining] = useState(false)
  // kept while the dialog is closed: a request that failed must not cost what was written
  const [reason, setReason] = useState('')
  const declining = useIdempotentPost('POST /api/operator/songs/:id/decline', { params })
  return (
    <div className={styles.row}>
      {song.startedAt === null ? (
        <Button small busy={starting.busy} onClick={() => void starting.send({}, desk.started)}>
          {desk.start}
        </Button>
      ) : (
        <Button small busy={releasing.busy} onClick={() => void releasing.send({}, desk.released)}>
          {desk.release}
        </Button>
      )}
      <Button small onClick={() => setDeclining(true)}>
        {desk.decline}
      </Button>
      {isDeclining && (
        <DeclineDialog
          song={song}
          reason={reason}
          onReason={setReason}
          busy={declining.busy}
          passwordField={declining.passwordField}
          onConfirm={() => declining.send({ reason }, desk.declined)}
          onClose={() => setDeclining(false)}
        />
      )}
    </div>
  )
}

function DeclineDialog(props: {
  song: Song
  reason: string
  onReason: (reason: string) => void
  busy: boolean
  passwordField: ReactNode
  onConfirm: () => Promise<unknown>
  onClose: () => void
}) {
  const { song, reason, onReason, passwordField, ...asked } = props
  const { desk, operator } = messages
  const name = markDirections(song.username)
  const field = useRef<HTMLInputElement>(null)
  return (
    <ConfirmDialog
      question={desk.declineQuestion(name)}
      action={desk.decline}
      back={desk.back}
      isLoading={!isTextWithin(reason, MAX_REASON)}
      initialFocus={field}
      {...asked}
    >
      <TextField
        ref={field}
        label={operator.reason}
        value={reason}
        most={MAX_REASON}
        onChange={(event) => onReason(event.target.value)}
      />
      {passwordField}
      <p>
        {song.charge === 'charged'
          ? desk.creditsGoBack(song.price ?? SONG_PRICE_CREDITS, name)
          : desk.nothingGoesBack}
      </p>
      <p>{desk.declineMail(markDirections(song.email))}</p>
    </ConfirmDialog>
  )
}
