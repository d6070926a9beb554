import { useQuery } from '@tanstack/react-query'
import { type DragEvent, type FormEvent, useEffect, useRef, useState } from 'react'
import { MAX_PAGE, RESUMABLE_ABOVE_BYTES, type Song } from '@prelude/contracts'
import { api, errorMessage } from '../../api/client.ts'
import type { Page } from '../../api/pages.ts'
import { queryClient } from '../../api/queries.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { OPERATOR_POINTS, truncate } from '../../ui/truncate.ts'
import styles from './operator.module.css'
import { useDebts } from './debts.ts'
import { Queue } from './queue.tsx'
import { SongDetails } from './song-details.tsx'
import { OPERATION_RETRY_MS, type Progress, type UploadHandle, UPLOAD_RETRY_MS } from './upload-handle.ts'
import { withRetry, sendForm } from './send-form.ts'
import { uploadFile } from './upload-file.ts'
import { initialProgress, VersionInput } from './version-input.tsx'

type Files = readonly [File | null, File | null]
type UploadProgress = readonly [Progress | null, Progress | null]

async function fetchPendingSongs(): Promise<readonly Song[]> {
  const songs: Song[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page<Song> = await api.get(
      `/api/operator/songs?status=pending&limit=${MAX_PAGE}${cursor && `&cursor=${cursor}`}`,
    )
    songs.push(...page.items)
    cursor = page.nextCursor
  }
  return songs
}

export function UploadForm() {
  const [songId, setSongId] = useState('')
  const [files, setFiles] = useState<Files>([null, null])
  const [gift, setGift] = useState(false)
  const [progress, setProgress] = useState<UploadProgress>([null, null])
  const [isDragOver, setDragOver] = useState(false)
  const [formKey, setFormKey] = useState(0)
  const running = useRef<readonly UploadHandle[]>([])
  const songs = useQuery({
    queryKey: ['operator', 'songs', 'pending'],
    queryFn: fetchPendingSongs,
  })
  const { debts, isPending: areDebtsPending } = useDebts()
  const pending = songs.data ?? []
  const song = pending.find(({ id }) => id === songId)
  const busy = progress[0] !== null
  // clears the selection when the song was fulfilled elsewhere
  useEffect(() => {
    if (!busy)
      setSongId((selected) => (songs.data?.some(({ id }) => id === selected) === false ? '' : selected))
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only when the list changes, not when an upload ends
  }, [songs.data])

  const report = (n: 0 | 1, next: Progress): void =>
    setProgress((now) => (n === 0 ? [next, now[1]] : [now[0], next]))

  const send = async (one: File, two: File): Promise<void> => {
    const path = `/api/operator/songs/${songId}/fulfil${gift ? '?gift=true' : ''}`
    if (one.size <= RESUMABLE_ABOVE_BYTES && two.size <= RESUMABLE_ABOVE_BYTES) {
      const data = new FormData()
      data.set('version1', one)
      data.set('version2', two)
      const cancelling = new AbortController()
      return withRetry(
        () => {
          const upload = sendForm('POST', path, data, (fraction, paused) => {
            for (const [n, { size }] of [one, two].entries())
              report(n as 0 | 1, { sentBytes: fraction * size, totalBytes: size, bytesPerSecond: 0, paused })
          })
          const cancel = (): void => {
            cancelling.abort()
            upload.cancel()
          }
          running.current = [upload, upload].map((one) => ({ ...one, cancel }))
          return upload.finished
        },
        UPLOAD_RETRY_MS,
        cancelling.signal,
      )
    }
    running.current = [
      uploadFile(one, `${songId}/1`, (next) => report(0, next)),
      uploadFile(two, `${songId}/2`, (next) => report(1, next)),
    ]
    const [version1, version2] = await Promise.all(running.current.map(({ finished }) => finished))
    const idempotencyKey = crypto.randomUUID()
    await withRetry(() => api.post(path, { version1, version2 }, { idempotencyKey }), OPERATION_RETRY_MS)
  }

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const [one, two] = files
    if (busy) return
    if (songId === '') return void toast.alert(messages.selectSong)
    if (!one || !two) return void toast.alert(messages.bothVersions)
    setProgress([initialProgress(one), initialProgress(two)])
    const done = toast.progress(messages.uploading)
    try {
      await send(one, two)
      toast.status(messages.uploaded)
      setSongId('')
      setGift(false)
      setFiles([null, null])
      setFormKey((now) => now + 1)
    } catch (error) {
      for (const upload of running.current) upload.stop()
      toast.alert(error === null ? messages.uploadCancelled : errorMessage(error))
    } finally {
      done()
      running.current = []
      setProgress([null, null])
      void queryClient.invalidateQueries({ queryKey: ['operator', 'songs'] })
    }
  }

  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setDragOver(false)
    const [one, two] = [...event.dataTransfer.files].toSorted((a, b) =>
      a.name.localeCompare(b.name, 'en', { numeric: true }),
    )
    if (one) setFiles((now) => (two ? [one, two] : now[0] ? [now[0], one] : [one, now[1]]))
  }

  return (
    <form
      className={`${styles.form} ${isDragOver ? styles.dragOver : ''}`}
      noValidate
      onSubmit={(event) => void submit(event)}
      onDragOver={(event) => (event.preventDefault(), setDragOver(true))}
      onDragLeave={() => setDragOver(false)}
      onDrop={drop}
    >
      {songs.data && <Queue songs={pending} debts={debts} selected={songId} onSelect={setSongId} />}
      <Select
        label={messages.operator.song}
        busy={songs.isPending || areDebtsPending}
        value={songId}
        onChange={(event) => setSongId(event.target.value)}
      >
        <option value="">{messages.operator.choose}</option>
        {pending.map((one) => (
          <option key={one.id} value={one.id}>
            {messages.operator.option(
              one.charged,
              debts.get(one.uid) ?? 0,
              truncate(one.style, OPERATOR_POINTS),
              truncate(one.lyrics, OPERATOR_POINTS),
            )}
          </option>
        ))}
      </Select>
      {song && <SongDetails song={song} debt={debts.get(song.uid) ?? 0} gift={gift} onGift={setGift} />}
      {([0, 1] as const).map((n) => (
        <VersionInput
          key={`${formKey}/${n}`}
          id={`operator-version-${n + 1}`}
          label={messages.version(n + 1)}
          colour={n === 0 ? 'var(--record)' : 'var(--teal)'}
          file={files[n]}
          progress={progress[n]}
          onFile={(file) => setFiles((now) => (n === 0 ? [file, now[1]] : [now[0], file]))}
          upload={() => running.current[n]}
        />
      ))}
      <Button type="submit" variant="primary" busy={busy}>
        {busy ? messages.operator.uploading : messages.operator.upload}
      </Button>
    </form>
  )
}
