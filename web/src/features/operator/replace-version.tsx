import { type FormEvent, useState } from 'react'
import { markDirections, type Song } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { useHeldPage } from '../../state/held-page.ts'
import { songName } from '../../text/song-name.ts'
import { deliver, type Files, useDelivery } from './delivery.ts'
import { useOwnControls } from './delivery-bar.tsx'
import { FileDoubts } from './doubts.tsx'
import { excerpt } from './excerpt.ts'
import { draftOf, MadeFields, madeOf } from './made-fields.tsx'
import { RetryNotice } from './retry-notice.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { VersionInput } from './version-input.tsx'

const filesOf = (n: 0 | 1, file: File | null): Files => (n === 0 ? [file, null] : [null, file])

/** Puts another file in place of a wrong one. While it is under way it is shown, and cannot be changed. */
export function ReplaceVersion({ song }: { song: Song }) {
  const { operator } = messages
  const [chosen, setChosen] = useState<0 | 1>(0)
  const [chosenFile, setFile] = useState<File | null>(null)
  const [made, setMade] = useState(draftOf(null))
  const current = useDelivery()
  const delivery = current?.kind === 'replacement' && current.song.id === song.id ? current : null
  const [isOpen, setOpen] = useState(delivery !== null)
  const n = delivery ? (delivery.files[0] ? 0 : 1) : chosen
  const file = delivery ? delivery.files[n] : chosenFile
  useOwnControls(delivery !== null && isOpen)
  useHeldPage(chosenFile !== null)
  const [isAsking, setAsking] = useState(false)
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    setAsking(file !== null && delivery === null)
  }
  const replace = async (): Promise<void> => {
    if (!file) return
    if (
      await deliver({
        song,
        kind: 'replacement',
        files: filesOf(n, file),
        made: [madeOf(made), madeOf(made)],
      })
    )
      setFile(null)
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{operator.replaceVersion}</summary>
      <form className="stack gap-4" onSubmit={ask}>
        <Select
          label={messages.player.version}
          value={n}
          disabled={delivery !== null}
          onChange={(event) => setChosen(event.target.value === '0' ? 0 : 1)}
        >
          <option value={0}>{messages.version(1)}</option>
          <option value={1}>{messages.version(2)}</option>
        </Select>
        <VersionInput
          id={`replacement-${song.id}`}
          label={operator.newFile}
          colour={n === 0 ? 'var(--record)' : 'var(--teal)'}
          file={file}
          disabled={delivery !== null}
          onFile={setFile}
        >
          {delivery && <UploadProgress n={n} name={messages.version(n + 1)} />}
        </VersionInput>
        <MadeFields made={made} disabled={delivery !== null} onChange={setMade} />
        {delivery && <RetryNotice />}
        <Button type="submit" disabled={!file} busy={delivery !== null}>
          {operator.replace}
        </Button>
        {file && <FileDoubts files={filesOf(n, file)} />}
      </form>
      {isAsking && file && (
        <ConfirmDialog
          question={messages.delivery.replaceTitle}
          action={operator.replace}
          back={messages.delivery.keep}
          busy={false}
          onConfirm={async () => void replace()}
          onClose={() => setAsking(false)}
        >
          <p>
            {markDirections(song.username)} · {excerpt(songName(song))}
          </p>
          <p>
            <strong>{messages.version(n + 1)}</strong> {markDirections(file.name)}
          </p>
          <p>{messages.delivery.replaceEnds}</p>
        </ConfirmDialog>
      )}
    </details>
  )
}
