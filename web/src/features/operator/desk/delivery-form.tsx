import { ArrowUpDown } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { usePublishedHeight } from '../../../browser/published-height.ts'
import { messages } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { useHeldPage } from '../../../state/held-page.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { toast } from '../../../ui/toast.tsx'
import { useChecks } from '../check-files.ts'
import { deliver, type Delivery, type Files, NO_FILES, useDelivery, withDropped } from '../delivery.ts'
import { useOwnControls } from '../delivery-bar.tsx'
import { madeAfter, MadeFields, madeOf, useMade } from '../made-fields.tsx'
import rows from '../operator.module.css'
import { RetryNotice } from '../retry-notice.tsx'
import { UploadProgress } from '../upload-progress.tsx'
import { VersionInput } from '../version-input.tsx'
import { CheckList } from './check-list.tsx'
import { ChosenFile } from './chosen-file.tsx'
import { DeliverDialog } from './deliver-dialog.tsx'
import styles from './desk.module.css'

const keyOf = ({ name, size, lastModified }: File): string => `${name}/${size}/${lastModified}`

/** Two files, chosen or dropped anywhere on the page, are heard and checked, and delivered after a question. */
export function DeliveryForm(props: {
  song: Song
  kind: Delivery['kind']
  chosen: Files
  onChoose: (change: (files: Files) => Files) => void
  /** The delivery is what is to be done next. */
  isMain: boolean
  onDelivered: () => Promise<void>
}) {
  const { song, kind, chosen, onChoose } = props
  const { desk } = messages
  useHeldPage(chosen[0] !== null || chosen[1] !== null)
  const [made, setMade] = useMade()
  const [before, setBefore] = useState(NO_FILES)
  if (before !== chosen) {
    setBefore(chosen)
    setMade(madeAfter(made, before, chosen))
  }
  const [isAsking, setAsking] = useState(false)
  const [mistake, setMistake] = useState<{ text: string; at: number } | null>(null)
  const current = useDelivery()
  const delivery = current?.song.id === song.id && current.kind !== 'replacement' ? current : null
  useOwnControls(delivery !== null)
  const files = delivery?.files ?? chosen
  const region = useRef<HTMLElement>(null)
  const act = usePublishedHeight<HTMLDivElement>('--act-height')
  const isDragOver = useDroppedFiles(delivery !== null, (dropped) => {
    onChoose((now) => withDropped(now, dropped))
    // it may be below long lyrics
    region.current?.scrollIntoView({ block: 'nearest' })
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
    const isMissing = kind === 'changes' ? !files[0] && !files[1] : !files[0] || !files[1]
    const missing = kind === 'changes' ? desk.oneVersion : messages.bothVersions
    const text = current ? messages.operator.oneAtATime : isMissing ? missing : null
    setMistake(text === null ? null : { text, at: Date.now() })
    setAsking(text === null)
  }
  const send = async (): Promise<void> => {
    if (!(await deliver({ song, kind, files, made: [madeOf(made[0]), madeOf(made[1])] }))) return
    isDelivered.current = true
    onChoose(() => NO_FILES)
    await props.onDelivered()
  }
  return (
    <section ref={region} aria-label={desk.delivery} className={`stack ${isDragOver ? rows.dragOver : ''}`}>
      <div className="line split">
        <h3>{desk.delivery}</h3>
        <Button
          small
          disabled={delivery !== null || (!files[0] && !files[1])}
          onClick={() => onChoose(([one, two]) => [two, one])}
        >
          <ArrowUpDown aria-hidden size={16} /> {desk.swap}
        </Button>
      </div>
      <p className="soft">{kind === 'changes' ? desk.dropChanges : desk.dropBoth}</p>
      {([0, 1] as const).map((n) => (
        <VersionInput
          key={n}
          id={`desk-version-${n + 1}`}
          label={messages.version(n + 1)}
          colour={n === 0 ? 'var(--record)' : 'var(--teal)'}
          file={files[n]}
          disabled={delivery !== null}
          onFile={(file) => onChoose((now) => (n === 0 ? [file, now[1]] : [now[0], file]))}
        >
          {files[n] && (
            <ChosenFile
              key={keyOf(files[n])}
              version={n === 0 ? 1 : 2}
              file={files[n]}
              measures={checks.measures[n]}
            />
          )}
          {delivery && <UploadProgress n={n} name={messages.version(n + 1)} />}
          <MadeFields
            made={made[n]}
            disabled={delivery !== null}
            onChange={(next) => setMade(n === 0 ? [next, made[1]] : [made[0], next])}
          />
        </VersionInput>
      ))}
      {delivery && <RetryNotice />}
      <CheckList files={files} checks={checks} />
      <div ref={act} className={`stack gap-2 ${styles.act}`}>
        {mistake && <FormError key={mistake.at} text={mistake.text} />}
        <Button
          variant={props.isMain ? 'primary' : 'outline'}
          busy={delivery !== null}
          aria-keyshortcuts="d"
          onClick={ask}
        >
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
