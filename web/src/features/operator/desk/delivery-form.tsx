import { ArrowUpDown, Pause, Play } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { play, stop, useSound } from '../../../audio/shared-audio.ts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { useHeldPage } from '../../../state/held-page.ts'
import { toast } from '../../../ui/toast.tsx'
import { useChecks } from '../check-files.ts'
import { deliver, type Delivery, type Files, useDelivery, withDropped } from '../delivery.ts'
import { useOwnControls } from '../delivery-bar.tsx'
import { MadeFields, madeOf, useMade } from '../made-fields.tsx'
import { RetryNotice } from '../retry-notice.tsx'
import { UploadProgress } from '../upload-progress.tsx'
import { VersionInput } from '../version-input.tsx'
import { CheckList } from './check-list.tsx'
import { DeliverDialog } from './deliver-dialog.tsx'
import styles from './desk.module.css'

const COLOURS = ['var(--record)', 'var(--teal)'] as const

const keyOf = ({ name, size, lastModified }: File): string => `${name}/${size}/${lastModified}`

/** Two files, chosen or dropped anywhere on the page, are heard and checked, and delivered after a question. */
export function DeliveryForm(props: {
  song: Song
  kind: Delivery['kind']
  onDelivered: () => Promise<void>
}) {
  const { song, kind } = props
  const { desk } = messages
  const [chosen, setFiles] = useState<Files>([null, null])
  useHeldPage(chosen[0] !== null || chosen[1] !== null)
  const [made, setMade] = useMade()
  const [isAsking, setAsking] = useState(false)
  const current = useDelivery()
  const delivery = current?.song.id === song.id && current.kind !== 'replacement' ? current : null
  useOwnControls(delivery !== null)
  const files = delivery?.files ?? chosen
  const region = useRef<HTMLElement>(null)
  const isDragOver = useDroppedFiles(delivery !== null, (dropped) => {
    setFiles((now) => withDropped(now, dropped))
    // it may be below long lyrics
    region.current?.scrollIntoView()
  })
  const checks = useChecks(files)

  // known at once: the song may be ready, and the form gone, before the files have left its state
  const isDelivered = useRef(false)
  const sayIfLost = useEffectEvent(() => {
    if (!isDelivered.current && delivery === null && (chosen[0] || chosen[1]))
      toast.status(messages.operator.filesCleared)
  })
  // another song was opened: files that were chosen for one are not delivered to another
  useEffect(() => () => sayIfLost(), [])

  const ask = (): void => {
    if (current) return toast.alert(messages.operator.oneAtATime)
    if (kind === 'changes' ? !files[0] && !files[1] : !files[0] || !files[1])
      return toast.alert(kind === 'changes' ? desk.oneVersion : messages.bothVersions)
    setAsking(true)
  }
  const send = async (): Promise<void> => {
    if (!(await deliver({ song, kind, files, made: [madeOf(made[0]), madeOf(made[1])] }))) return
    isDelivered.current = true
    setFiles([null, null])
    await props.onDelivered()
  }
  return (
    <section
      ref={region}
      aria-label={desk.delivery}
      className={`${styles.delivery} ${isDragOver ? styles.dragOver : ''}`}
    >
      <h3>{desk.delivery}</h3>
      <p className={styles.soft}>{kind === 'changes' ? desk.dropChanges : desk.dropBoth}</p>
      {([0, 1] as const).map((n) => (
        <div key={n} className={styles.version}>
          <VersionInput
            id={`desk-version-${n + 1}`}
            label={messages.version(n + 1)}
            colour={COLOURS[n]}
            file={files[n]}
            disabled={delivery !== null}
            onFile={(file) => setFiles((now) => (n === 0 ? [file, now[1]] : [now[0], file]))}
          >
            {delivery && <UploadProgress n={n} name={messages.version(n + 1)} />}
          </VersionInput>
          <MadeFields
            made={made[n]}
            disabled={delivery !== null}
            onChange={(next) => setMade(n === 0 ? [next, made[1]] : [made[0], next])}
          />
          {files[n] && (
            <PlayFile
              key={keyOf(files[n])}
              name={messages.version(n + 1)}
              file={files[n]}
              colour={COLOURS[n]}
            />
          )}
        </div>
      ))}
      {delivery && <RetryNotice />}
      <div className={styles.row}>
        <Button
          small
          disabled={delivery !== null || (!files[0] && !files[1])}
          onClick={() => setFiles(([one, two]) => [two, one])}
        >
          <ArrowUpDown aria-hidden size={16} /> {desk.swap}
        </Button>
      </div>
      <CheckList files={files} checks={checks} />
      <div className={styles.row}>
        <Button variant="primary" busy={delivery !== null} onClick={ask}>
          {delivery ? messages.operator.uploading : desk.askToDeliver}
        </Button>
      </div>
      {isAsking && (
        <DeliverDialog
          song={song}
          files={files}
          checks={checks}
          onDeliver={() => void send()}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  )
}

/** Plays a chosen file before it is sent. */
function PlayFile({ name, file, colour }: { name: string; file: File; colour: string }) {
  const [url, setUrl] = useState<string | null>(null)
  const id = `file/${url}`
  const sound = useSound(id, url ?? '')
  useEffect(() => {
    if (url === null) return undefined
    return () => {
      stop(id)
      URL.revokeObjectURL(url)
    }
  }, [id, url])
  const toggle = (): void => {
    if (url !== null) return sound.toggle()
    const made = URL.createObjectURL(file)
    setUrl(made)
    play(`file/${made}`, made)
  }
  const Icon = sound.playing ? Pause : Play
  return (
    <>
      <Button
        small
        aria-label={sound.playing ? messages.desk.pause(name) : messages.desk.play(name)}
        onClick={toggle}
      >
        <Icon aria-hidden size={14} fill={colour} color={colour} />
        {name}
      </Button>
      {sound.failed && <p role="alert">{messages.player.failed}</p>}
    </>
  )
}

/** Takes files that are dropped anywhere on the page, unless it is busy. Answers whether some are held over it. */
function useDroppedFiles(isBusy: boolean, onFiles: (files: readonly File[]) => void): boolean {
  const [isDragOver, setDragOver] = useState(false)
  const take = useEffectEvent((event: DragEvent) => {
    // without this, and in dragover, the browser opens the file instead
    event.preventDefault()
    setDragOver(false)
    if (!isBusy) onFiles([...(event.dataTransfer?.files ?? [])])
  })
  const hold = useEffectEvent((event: DragEvent) => {
    event.preventDefault()
    setDragOver(!isBusy)
  })
  useEffect(() => {
    const page = new AbortController()
    const { signal } = page
    addEventListener('dragover', (event) => hold(event), { signal })
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && setDragOver(false), {
      signal,
    })
    addEventListener('drop', (event) => take(event), { signal })
    return () => page.abort()
  }, [])
  return isDragOver
}
