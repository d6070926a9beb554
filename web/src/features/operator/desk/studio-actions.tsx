import { type ReactNode, useRef, useState } from 'react'
import { markDirections, MAX_REASON, type Song, SONG_PRICE_CREDITS, type Stage } from '@prelude/contracts'
import { messages } from '../../../messages.ts'
import { navigate } from '../../../router.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { isTextWithin } from '../../../text/truncate.ts'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { useIdempotentPost } from '../operator-list.tsx'
import { deskAddress, isOpen } from './desk-address.ts'

/** Start or Release, and Decline, of a request that is not delivered. */
export function StudioActions(props: {
  song: Song
  gift: boolean
  /** Starting is what is to be done next. */
  isToStart: boolean
}) {
  const { song, gift, isToStart } = props
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
  /** The tab follows the song to where it lies then. */
  const follow = async (moved: Promise<boolean>, stage: Stage): Promise<void> => {
    if ((await moved) && isOpen(song.id))
      navigate(deskAddress({ stage, songId: song.id, q: '' }), null, { replace: true })
  }
  return (
    <div className="row">
      {song.startedAt === null ? (
        <Button
          variant={isToStart ? 'primary' : 'outline'}
          busy={starting.busy}
          onClick={() => void follow(starting.send({}, desk.started), 'studio')}
        >
          {desk.start}
        </Button>
      ) : (
        <Button busy={releasing.busy} onClick={() => void follow(releasing.send({}, desk.released), 'todo')}>
          {desk.release}
        </Button>
      )}
      <Button variant="quiet" onClick={() => setDeclining(true)}>
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
