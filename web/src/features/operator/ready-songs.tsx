import { Play } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { useOpen } from '../../app/open.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/clock.ts'
import { Select } from '../../ui/field.tsx'
import { OPERATOR_POINTS, truncate } from '../../ui/truncate.ts'
import { act, DeskList, useList } from './desk-list.tsx'
import styles from './operator.module.css'
import type { Progress, RunningUpload } from './running-upload.ts'
import { sendForm } from './send-form.ts'
import { startOf, VersionInput } from './version-input.tsx'

/** What was delivered, where a wrong file can still be put right. */
export function ReadySongs() {
  return (
    <DeskList list={useList<Song>('songs', { status: 'ready' })} empty={messages.operator.noReady}>
      {(song) => (
        <li key={song.id}>
          <div className={styles.entry}>
            <span>
              {truncate(song.style, OPERATOR_POINTS)}
              <span className={styles.soft}>
                {song.email} · {ago(song.updatedAt ?? song.createdAt)}
              </span>
            </span>
            <span className={styles.listen}>
              <Listen song={song} version={1} />
              <Listen song={song} version={2} />
            </span>
          </div>
          <details>
            <summary>{messages.operator.replaceVersion}</summary>
            <Replacement songId={song.id} />
          </details>
        </li>
      )}
    </DeskList>
  )
}

/** What its owner hears, in the player. */
function Listen({ song, version }: { song: Song; version: 1 | 2 }) {
  const open = useOpen()
  const button = useRef<HTMLButtonElement>(null)
  const colour = version === 1 ? 'var(--record)' : 'var(--teal)'
  return (
    <Button
      ref={button}
      small
      aria-label={messages.operator.listen(version, truncate(song.style, OPERATOR_POINTS))}
      onClick={() => open.player({ songId: song.id, version, returnFocus: () => button.current?.focus() })}
    >
      <Play aria-hidden size={14} fill={colour} color={colour} />
      {version}
    </Button>
  )
}

function Replacement({ songId }: { songId: string }) {
  const [version, setVersion] = useState('1')
  const [file, setFile] = useState<File | null>(null)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [turn, setTurn] = useState(0)
  const running = useRef<RunningUpload>(undefined)
  const replace = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (!file || progress) return
    const form = new FormData()
    form.set('file', file)
    setProgress(startOf(file))
    const work = async (): Promise<void> => {
      try {
        running.current = sendForm(
          'PUT',
          `/api/operator/songs/${songId}/versions/${version}`,
          form,
          (part, paused) => setProgress({ ...startOf(file), sentBytes: part * file.size, paused }),
        )
        await running.current.finished
        setFile(null)
        setTurn((now) => now + 1)
      } finally {
        setProgress(null)
      }
    }
    await act(work, messages.operator.replaced(messages.version(Number(version))))
  }
  return (
    <form className={styles.form} onSubmit={(event) => void replace(event)}>
      <Select
        label={messages.player.version}
        value={version}
        onChange={(event) => setVersion(event.target.value)}
      >
        <option value="1">{messages.version(1)}</option>
        <option value="2">{messages.version(2)}</option>
      </Select>
      <VersionInput
        key={turn}
        id={`replacement-${songId}`}
        label={messages.operator.newFile}
        colour={version === '1' ? 'var(--record)' : 'var(--teal)'}
        file={file}
        progress={progress}
        onFile={setFile}
        upload={() => running.current}
      />
      <Button type="submit" disabled={!file} busy={progress !== null}>
        {messages.operator.replace}
      </Button>
    </form>
  )
}
