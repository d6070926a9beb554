import { useQuery } from '@tanstack/react-query'
import { type DragEvent, type FormEvent, memo, useEffect, useEffectEvent, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { pendingSongsQuery, useDebts } from '../../api/operator.ts'
import { messages, useLanguage } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, Select } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { useHeldPage } from '../../state/held-page.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast.tsx'
import { excerpt } from './excerpt.ts'
import styles from './operator.module.css'
import { useOwnControls } from './delivery-bar.tsx'
import { deliver, type Files, NO_FILES, useDelivery, withDropped } from './delivery.ts'
import { FileDoubts } from './doubts.tsx'
import { MadeFields, madeOf, useMade } from './made-fields.tsx'
import { byPromise, Queue } from './queue.tsx'
import { SongDetails } from './song-details.tsx'
import { RetryNotice } from './retry-notice.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { VersionInput } from './version-input.tsx'

/** Memoised, as the rows of the queue are. */
const Option = memo(function Option({ song, debt }: { song: Song; debt: number; language: string }) {
  const { id, charged, style, lyrics } = song
  return (
    <option value={id}>{messages.operator.option(charged, debt, excerpt(style), excerpt(lyrics))}</option>
  )
})

/** The selection of the form; while a delivery is under way, that of the delivery is shown, and cannot be changed. */
export function UploadForm() {
  const [chosenId, setChosenId] = useState('')
  const [chosenFiles, setFiles] = useState<Files>(NO_FILES)
  /** The song that is to be a gift: another song is not. */
  const [giftId, setGiftId] = useState('')
  const [showsRefunded, setShowsRefunded] = useState(false)
  const [made, setMade] = useMade()
  const [isDragOver, setDragOver] = useState(false)
  const [mistake, setMistake] = useState<{ text: string; at: number } | null>(null)
  const language = useLanguage()
  const current = useDelivery()
  const busy = current !== null
  const delivery = current?.kind === 'song' || current?.kind === 'gift' ? current : null
  const songs = useQuery(pendingSongsQuery)
  const { debts, isPending: areDebtsPending } = useDebts()
  const all = (songs.data ?? []).toSorted(byPromise)
  const toDo = all.filter(({ charge }) => charge !== 'refunded')
  const refunded = all.length - toDo.length
  const pending = showsRefunded ? all : toDo
  const song = delivery?.song ?? pending.find(({ id }) => id === chosenId)
  const songId = song?.id ?? ''
  const files = delivery?.files ?? chosenFiles

  useOwnControls(delivery !== null)
  useHeldPage(chosenFiles[0] !== null || chosenFiles[1] !== null)
  // another page was opened; files of a delivery are not lost
  const sayIfLost = useEffectEvent(() => {
    if (!busy && (chosenFiles[0] || chosenFiles[1])) toast.status(messages.operator.filesCleared)
  })
  useEffect(() => () => sayIfLost(), [])
  const clear = (): void => {
    setChosenId('')
    setGiftId('')
    setFiles(NO_FILES)
  }
  /** Files that were chosen for one song are not delivered to another one. */
  const select = (id: string): void => {
    if (busy || id === songId) return
    // also when that song has left the list meanwhile
    if (chosenId !== '' && (files[0] || files[1])) {
      clear()
      toast.status(messages.operator.filesCleared)
    }
    setChosenId(id)
  }

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const [one, two] = files
    if (busy) return
    const text = !song ? messages.selectSong : messages.bothVersions
    setMistake(song && one && two ? null : { text, at: Date.now() })
    if (!song || !one || !two) return
    const kind = giftId === song.id ? 'gift' : 'song'
    if (await deliver({ song, kind, files, made: [madeOf(made[0]), madeOf(made[1])] })) clear()
  }

  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setDragOver(false)
    if (busy) return
    const dropped = [...event.dataTransfer.files]
    setFiles((now) => withDropped(now, dropped))
  }

  return (
    <form
      className={`stack gap-4 ${isDragOver ? styles.dragOver : ''}`}
      noValidate
      onSubmit={(event) => void submit(event)}
      onDragOver={(event) => (event.preventDefault(), setDragOver(true))}
      onDragLeave={() => setDragOver(false)}
      onDrop={drop}
    >
      {songs.data && (
        <Queue songs={pending} debts={debts} selected={songId} onSelect={select} disabled={busy} />
      )}
      {refunded > 0 && (
        <Checkbox checked={showsRefunded} disabled={busy} onChange={setShowsRefunded}>
          {messages.operator.showRefunded(refunded)}
        </Checkbox>
      )}
      <Select
        label={messages.operator.song}
        busy={songs.isPending || areDebtsPending}
        value={songId}
        disabled={busy}
        onChange={(event) => select(event.target.value)}
      >
        <option value="">{messages.operator.choose}</option>
        {pending.map((one) => (
          <Option key={one.id} song={one} debt={debts.get(one.uid) ?? 0} language={language} />
        ))}
      </Select>
      {songs.isError && !songs.data && <QueryState query={songs} variant="inline" />}
      {song && (
        <SongDetails
          key={song.id}
          song={song}
          debt={debts.get(song.uid) ?? 0}
          gift={delivery ? delivery.kind === 'gift' : giftId === song.id}
          onGift={busy ? null : (gift) => setGiftId(gift ? song.id : '')}
        />
      )}
      {([0, 1] as const).map((n) => (
        <VersionInput
          key={n}
          id={`operator-version-${n + 1}`}
          label={messages.version(n + 1)}
          colour={n === 0 ? 'var(--record)' : 'var(--teal)'}
          file={files[n]}
          disabled={busy}
          onFile={(file) => setFiles((now) => (n === 0 ? [file, now[1]] : [now[0], file]))}
        >
          {delivery && <UploadProgress n={n} name={messages.version(n + 1)} />}
          <MadeFields
            made={made[n]}
            disabled={busy}
            onChange={(next) => setMade(n === 0 ? [next, made[1]] : [made[0], next])}
          />
        </VersionInput>
      ))}
      {delivery && <RetryNotice />}
      {mistake && <FormError key={mistake.at} text={mistake.text} />}
      <Button type="submit" variant="primary" busy={busy}>
        {busy ? messages.operator.uploading : messages.operator.upload}
      </Button>
      {/* after the button: what is found late does not move it from under a click */}
      <FileDoubts files={files} />
    </form>
  )
}
