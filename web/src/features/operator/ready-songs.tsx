import { Play } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { markDirections, type Song } from '@prelude/contracts'
import { useOverlays } from '../../ui/overlays.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/time.ts'
import { Select } from '../../ui/field.tsx'
import { excerpt } from './excerpt.ts'
import { runAction, OperatorList, useOperatorList } from './operator-list.tsx'
import styles from './operator.module.css'
import { sendInOneForm } from './delivery.ts'
import { RetryNotice } from './retry-notice.tsx'
import { initialProgress, type Progress, uploadErrorMessage, type UploadHandle } from './upload-handle.ts'
import { VersionInput } from './version-input.tsx'

/** Delivered songs, with a form to replace a wrong file. */
export function ReadySongs() {
  return (
    <OperatorList
      list={useOperatorList<Song>('songs', { status: 'ready' })}
      empty={messages.operator.noReady}
    >
      {(song) => (
        <li key={song.id}>
          <div className={styles.entry}>
            <span>
              {excerpt(song.style)}
              <span className={styles.soft}>
                {markDirections(song.email)} · {ago(song.updatedAt ?? song.createdAt)}
              </span>
            </span>
            <span className={styles.play}>
              <PlayButton song={song} version={1} />
              <PlayButton song={song} version={2} />
            </span>
          </div>
          <details>
            <summary>{messages.operator.replaceVersion}</summary>
            <ReplaceVersion songId={song.id} />
          </details>
        </li>
      )}
    </OperatorList>
  )
}

/** Plays the delivered version in the player. */
export function PlayButton({ song, version }: { song: Song; version: 1 | 2 }) {
  const overlays = useOverlays()
  const button = useRef<HTMLButtonElement>(null)
  const colour = version === 1 ? 'var(--record)' : 'var(--teal)'
  return (
    <Button
      ref={button}
      small
      aria-label={messages.operator.listen(version, excerpt(song.style))}
      onClick={() =>
        overlays.openPlayer({ songId: song.id, version, returnFocus: () => button.current?.focus() })
      }
    >
      <Play aria-hidden size={14} fill={colour} color={colour} />
      {version}
    </Button>
  )
}

export function ReplaceVersion({ songId }: { songId: string }) {
  const [version, setVersion] = useState('1')
  const [file, setFile] = useState<File | null>(null)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [formKey, setFormKey] = useState(0)
  const [running, setRunning] = useState<UploadHandle>()
  const replace = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (!file || progress) return
    const initial = initialProgress(file)
    setProgress(initial)
    const upload = async (): Promise<void> => {
      try {
        await sendInOneForm(
          'PUT',
          `/api/operator/songs/${songId}/versions/${version}`,
          { file },
          {
            onUpload: setRunning,
            onProgress: (fraction, paused) =>
              setProgress({ ...initial, sentBytes: fraction * file.size, paused }),
            onRetry: (retryAt) => setProgress({ ...initial, retryAt }),
          },
        )
        setFile(null)
        setFormKey((now) => now + 1)
      } finally {
        setProgress(null)
      }
    }
    const n = Number(version)
    await runAction(upload, messages.operator.replaced(messages.version(n)), (error) =>
      uploadErrorMessage(error, [[n, file]]),
    )
  }
  return (
    <form className={styles.form} onSubmit={(event) => void replace(event)}>
      <Select
        label={messages.player.version}
        value={version}
        disabled={progress !== null}
        onChange={(event) => setVersion(event.target.value)}
      >
        <option value="1">{messages.version(1)}</option>
        <option value="2">{messages.version(2)}</option>
      </Select>
      <VersionInput
        key={formKey}
        id={`replacement-${songId}`}
        label={messages.operator.newFile}
        colour={version === '1' ? 'var(--record)' : 'var(--teal)'}
        file={file}
        progress={progress}
        onFile={setFile}
        upload={running}
      />
      <RetryNotice retryAt={progress?.retryAt ?? null} />
      <Button type="submit" disabled={!file} busy={progress !== null}>
        {messages.operator.replace}
      </Button>
    </form>
  )
}
