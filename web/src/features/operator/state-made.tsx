import { type FormEvent, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { call } from '../../api/client.ts'
import { putOperatorSong } from '../../api/operator.ts'
import { useCommand } from '../../api/use-command.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { toast } from '../../ui/toast.tsx'
import { draftOf, type MadeDrafts, MadeFields, madeOf } from './made-fields.tsx'

/** Says how the versions of a delivered song were made, or corrects it. */
export function StateMade({ song }: { song: Song }) {
  const [[one, two], setMade] = useState<MadeDrafts>([draftOf(song.made?.[1]), draftOf(song.made?.[2])])
  const { busy, error, run } = useCommand(async () => {
    const body = { made: { 1: madeOf(one), 2: madeOf(two) } }
    putOperatorSong(await call('PUT /api/operator/songs/:id/made', { params: { id: song.id }, body }))
    toast.status(messages.delivery.madeSaved)
  })
  const save = (event: FormEvent): void => {
    event.preventDefault()
    void run()
  }
  return (
    <details>
      <summary>{messages.made.title}</summary>
      <form className="stack gap-4" onSubmit={save}>
        <strong>{messages.version(1)}</strong>
        <MadeFields made={one} disabled={busy} onChange={(made) => setMade([made, two])} />
        <strong>{messages.version(2)}</strong>
        <MadeFields made={two} disabled={busy} onChange={(made) => setMade([one, made])} />
        {error && <FormError key={error.at} text={error.text} />}
        <Button type="submit" busy={busy}>
          {messages.delivery.save}
        </Button>
      </form>
    </details>
  )
}
