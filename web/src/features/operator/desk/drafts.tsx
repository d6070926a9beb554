import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useRef, useState } from 'react'
import { type Draft, markDirections, type Song } from '@prelude/contracts'
import { draftAudio, draftsQuery, makeDrafts, remakeDraft, removeDraft } from '../../../api/drafts.ts'
import { useCommand } from '../../../api/use-command.ts'
import { SeekBar } from '../../../audio/seek-bar.tsx'
import { seek, usePauseOnUnmount, useSound } from '../../../audio/shared-audio.ts'
import { format, messages } from '../../../messages.ts'
import { formatDuration } from '../../../text/time.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { PlayIcon } from '../../../ui/play-icon.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { toast } from '../../../ui/toast.tsx'
import type { Files } from '../delivery.ts'
import { DraftFile, fileOfDraft } from '../draft-file.ts'
import { useMinuteTick } from '../minute-tick.ts'
import styles from './desk.module.css'
import { RedoPart } from './redo-part.tsx'

/** What a music generator makes of the song: to be asked for, heard, and used as a version or removed. */
export function Drafts(props: {
  song: Song
  files: Files
  /** Null while nothing can be delivered. */
  onChoose: ((change: (files: Files) => Files) => void) | null
}) {
  const { song, files, onChoose } = props
  const { drafts } = messages
  const query = useQuery(draftsQuery(song.id))
  const items = query.data?.items
  const since = query.data?.generatorSince
  const news = useNews(items)
  const make = useRef<HTMLButtonElement>(null)
  const { busy, error, clear, run } = useCommand(async () =>
    toast.status(drafts.asked(await makeDrafts(song.id, {}))),
  )
  useMinuteTick()
  return (
    <section aria-label={drafts.title} className="stack">
      <div className="line split">
        <h3>{drafts.title}</h3>
        <Button ref={make} small busy={busy} onClick={() => void run()}>
          {drafts.make}
        </Button>
      </div>
      {error && <FormError key={error.at} text={error.text} />}
      {since && song.createdAt < since && <p className="soft">{drafts.notSaid}</p>}
      <p role="status" className="visually-hidden">
        {news}
      </p>
      {!query.data && <QueryState query={query} variant="inline" />}
      {items?.length === 0 && <p className="soft">{drafts.none}</p>}
      <ul aria-label={drafts.title} className="rows">
        {items?.map((draft) => (
          <DraftItem
            key={draft.id}
            song={song}
            draft={draft}
            files={files}
            onChoose={onChoose}
            onRemoved={() => {
              clear()
              make.current?.focus()
            }}
          />
        ))}
      </ul>
    </section>
  )
}

export function DraftItem(props: Parameters<typeof Drafts>[0] & { draft: Draft; onRemoved: () => void }) {
  const { song, draft, files, onChoose } = props
  const { drafts } = messages
  const id = `draft/${draft.id}`
  const sound = useSound(id, draftAudio(draft))
  usePauseOnUnmount(id)
  const again = useCommand(async () => toast.status(drafts.asked(await remakeDraft(draft))))
  const use = useCommand(async (n: 0 | 1) => {
    const file = await fileOfDraft(draft)
    onChoose?.((now) => (n === 0 ? [file, now[1]] : [now[0], file]))
  })
  const remove = useCommand(async () => {
    await removeDraft(draft)
    onChoose?.(([one, two]) => [isOf(draft, one) ? null : one, isOf(draft, two) ? null : two])
    props.onRemoved()
  })
  const error = again.error ?? use.error ?? remove.error
  const isReady = draft.state === 'ready'
  const isLost = draft.state === 'lost' || draft.state === 'failed'
  const durationMs = draft.durationMs ?? sound.durationMs
  return (
    <li className={`stack gap-2 ${styles.draft}`}>
      <div className="line">
        {isReady && (
          <IconButton
            label={drafts.play(draft.n)}
            aria-pressed={sound.playing}
            aria-busy={sound.loading}
            onClick={() => sound.toggle()}
          >
            <PlayIcon playing={sound.playing} size={20} />
          </IconButton>
        )}
        <p>
          <strong>{drafts.name(draft.n)}</strong>{' '}
          <span className={isLost ? 'bad' : undefined}>{stateOf(draft)}</span>
          {song.correctedAt !== undefined && song.correctedAt > draft.createdAt && (
            <span className="soft"> · {drafts.olderWords}</span>
          )}
        </p>
        <IconButton label={drafts.remove} aria-busy={remove.busy} onClick={() => void remove.run()}>
          <X aria-hidden size={18} />
        </IconButton>
      </div>
      {sound.isCurrent && (
        <div className={styles.chosen}>
          <span className="mono">{formatDuration(sound.positionMs)}</span>
          <SeekBar
            label={drafts.position(draft.n)}
            version={1}
            wave={{ data: undefined, isPending: false }}
            positionMs={sound.positionMs}
            durationMs={durationMs}
            onSeek={(ms) => seek(id, ms)}
          />
          <RedoPart
            songId={song.id}
            lengthMs={durationMs}
            aroundMs={sound.positionMs}
            of={(part) => ({ draftId: draft.id, ...part })}
          />
        </div>
      )}
      {sound.failed && <p role="alert">{messages.player.failed[sound.failed]}</p>}
      {isReady && onChoose && (
        <div className={`row gap-2 ${styles.use}`}>
          {([0, 1] as const).map((n) => (
            <Button
              key={n}
              small
              aria-pressed={isOf(draft, files[n])}
              busy={use.busy}
              onClick={() => void use.run(n)}
            >
              {drafts.asVersion(messages.version(n + 1))}
            </Button>
          ))}
        </div>
      )}
      {isLost && (
        <div>
          <Button small busy={again.busy} onClick={() => void again.run()}>
            {messages.tryAgain}
          </Button>
        </div>
      )}
      {error && <FormError key={error.at} text={error.text} />}
    </li>
  )
}

const isOf = (draft: Draft, file: File | null): boolean =>
  file instanceof DraftFile && file.draft.id === draft.id

const MINUTE_MS = 60_000

/** The state in words: with the time that it takes, with the duration, or with the reason. */
export function stateOf({ state, expectedAt, durationMs, error }: Draft, now = Date.now()): string {
  const { drafts } = messages
  const name = drafts.states[state]
  if (state === 'ready') return durationMs === null ? name : `${name} · ${formatDuration(durationMs)}`
  if (error !== null) return `${name}: ${markDirections(error)}`
  // a time that has passed says nothing
  return expectedAt === null || expectedAt <= now
    ? name
    : `${name} · ${drafts.readyIn(format.elapsed(Math.ceil((expectedAt - now) / MINUTE_MS) * MINUTE_MS))}`
}

/** The drafts that changed their state since the last time, in words, so that each change is announced once. */
function useNews(drafts: readonly Draft[] | undefined): string {
  const [known, setKnown] = useState(drafts)
  const [news, setNews] = useState('')
  if (drafts !== known) {
    setKnown(drafts)
    const changed = (drafts ?? []).filter(({ id, state }) =>
      known?.some((before) => before.id === id && before.state !== state),
    )
    if (changed.length > 0)
      setNews(changed.map((draft) => `${messages.drafts.name(draft.n)}: ${stateOf(draft)}`).join('. '))
  }
  return news
}
