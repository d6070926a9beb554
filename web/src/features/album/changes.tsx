import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Pause, Play } from 'lucide-react'
import {
  type Changes as Round,
  isBlank,
  MAX_NOTE,
  MAX_NOTES,
  type Song,
  withLineFeeds,
} from '@prelude/contracts'
import { useMediaMetadata } from '../../audio/media-session.ts'
import { Marks } from '../../audio/marks.tsx'
import { SeekBar } from '../../audio/seek-bar.tsx'
import { play, seek, usePauseOnUnmount, useSound } from '../../audio/shared-audio.ts'
import { takeSound } from '../../audio/take.ts'
import { useWaveform } from '../../audio/use-waveform.ts'
import { takeColours, VersionSwitch } from '../../audio/version-switch.tsx'
import { format, messages, siteConfig } from '../../messages.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { isComposing } from '../../browser/composing.ts'
import { TextArea } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { songName } from '../../text/song-name.ts'
import { formatDuration } from '../../text/time.ts'
import { toast } from '../../ui/toast.tsx'
import { lengthOf } from '../../text/truncate.ts'
import {
  type ChangesDraft,
  type DraftNote,
  emptyDraft,
  notesToSend,
  shownText,
  useChangesDraft,
  withEditing,
  withNote,
  withoutNote,
  withText,
} from './changes-draft.ts'
import styles from './changes.module.css'
import { removeSongDraft } from './song-draft.ts'
import { useSongAction } from './use-song-action.ts'

/** What should change in a delivered song: notes at positions of its versions, sent at once. */
export function Changes(props: {
  song: Song
  /** The form is shown. */
  asking: boolean
  region: RefObject<HTMLElement | null>
}) {
  const { song, asking, region } = props
  const { id, uid } = song
  const isAsked = song.changes?.state === 'asked'
  // they were asked for, from here or from elsewhere
  useEffect(() => {
    if (isAsked) removeSongDraft('changes', { id, uid })
  }, [isAsked, id, uid])
  return (
    <section
      ref={region}
      tabIndex={-1}
      aria-label={messages.changes.title}
      className={`stack gap-4 ${styles.changes}`}
    >
      <h2>{messages.changes.title}</h2>
      {song.changes && <Asked changes={song.changes} />}
      {asking && <AskForm song={song} />}
    </section>
  )
}

/** The last round, as it was asked for. */
function Asked({ changes: { notes, askedAt, deliveredAt } }: { changes: Round }) {
  return (
    <>
      <p className="soft">
        {deliveredAt === null
          ? messages.changes.asked(format.when(askedAt))
          : messages.changes.delivered(format.when(deliveredAt))}
      </p>
      <NoteList>
        {notes.map((note, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- notes that were sent have no id and do not move
          <li key={index} className="row split" style={takeColours(note.version)}>
            <NoteText note={note} />
          </li>
        ))}
      </NoteList>
    </>
  )
}

function AskForm({ song }: { song: Song }) {
  const [draft, setDraft] = useChangesDraft(song)
  const [version, setVersion] = useState<1 | 2>(1)
  const playing = usePosition(song, version)
  const { busy, error, askChanges } = useSongAction(song.id)
  const [mistake, setMistake] = useState<{ text: string; at: number } | null>(null)
  const showMistake = (text: string): void => setMistake({ text, at: Date.now() })
  const field = useRef<HTMLTextAreaElement>(null)
  const isFull = draft.notes.length >= MAX_NOTES
  /** What the server would refuse of a note, kept from before its file was replaced or its text grew. */
  const misfitOf = ({ version: n, atMs, text }: DraftNote): string | null => {
    const excess = lengthOf(text.trim()) - MAX_NOTE
    if (excess > 0) return messages.request.over(excess)
    return (atMs ?? 0) > (playing.lastMs.get(n) ?? Infinity) ? messages.changes.afterEnd : null
  }
  const edited = draft.notes.find(({ id }) => id === draft.editing)
  /** What is being sent stays as it is. */
  const change = (next: ChangesDraft): void => {
    if (busy) return
    setMistake(null)
    setDraft(next)
  }
  const add = (atMs: number | null): void => {
    if (isFull) return showMistake(messages.changes.full(MAX_NOTES))
    change(withNote(draft, { version, atMs }))
    field.current?.focus()
  }
  const choose = (next: 1 | 2): void => {
    if (playing.isPlaying) playing.playOther(next)
    setVersion(next)
  }
  const edit = (note: DraftNote): void => {
    choose(note.version)
    if (note.atMs !== null) playing.cue(note.atMs)
    change(withEditing(draft, note.id))
    field.current?.focus()
  }
  const send = async (): Promise<void> => {
    // what was written last is meant too
    const isOpen = draft.editing === null && !isBlank(draft.text) && !isFull
    const whole = isOpen ? withNote(draft, { version, atMs: playing.atMs }) : draft
    if (isOpen) setDraft(whole)
    const notes = notesToSend(whole)
    if (notes.length === 0) return showMistake(messages.changes.noneYet)
    if (notes.some(({ text }) => isBlank(text))) return showMistake(messages.changes.emptyNote)
    if (whole.notes.some(misfitOf)) return showMistake(messages.changes.misfits)
    setMistake(null)
    if (!(await askChanges(notes, whole.key))) return
    setDraft(emptyDraft())
    toast.status(messages.changes.sent)
  }
  return (
    <div className="stack gap-4">
      <p className="soft">{messages.changes.hint}</p>
      <div className="row" style={takeColours(version)}>
        <IconButton
          label={playing.isPlaying ? messages.player.pause : messages.player.play}
          aria-busy={playing.isLoading}
          onClick={playing.toggle}
        >
          <span className="play filled">
            {playing.isPlaying ? (
              <Pause aria-hidden size={18} fill="currentColor" />
            ) : (
              <Play aria-hidden size={18} fill="currentColor" />
            )}
          </span>
        </IconButton>
        <VersionSwitch song={song} version={version} onChoose={choose} />
        <span className="mono soft">
          {formatDuration(playing.atMs)} / {formatDuration(playing.durationMs)}
        </span>
        {playing.failed && <FormError text={messages.player.failed[playing.failed]} />}
      </div>
      <SeekBar
        version={version}
        wave={playing.wave}
        positionMs={playing.atMs}
        durationMs={playing.durationMs}
        onSeek={playing.cue}
      >
        <Marks
          positionsMs={draft.notes.flatMap((note) => (note.version === version ? [note.atMs] : []))}
          within={playing.durationMs}
        />
      </SeekBar>
      <div className="row">
        <Button onClick={() => add(playing.atMs)}>{messages.changes.addHere}</Button>
        <Button variant="link" onClick={() => add(null)}>
          {messages.changes.addWhole}
        </Button>
      </div>
      <TextArea
        ref={field}
        label={messages.changes.note}
        rows={2}
        most={MAX_NOTE}
        readOnly={busy}
        placeholder={messages.changes.placeholder}
        hint={
          edited
            ? messages.changes.editing(placeOf(edited))
            : messages.changes.newNote(formatDuration(playing.atMs))
        }
        value={shownText(draft)}
        onChange={(event) => change(withText(draft, event.target.value))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
          event.preventDefault()
          if (edited) change(withEditing(draft, null))
          else if (draft.text.trim() !== '') add(playing.atMs)
        }}
      />
      {draft.notes.length > 0 && (
        <NoteList>
          {draft.notes.map((note) => (
            <li
              className="row split"
              key={note.id}
              style={takeColours(note.version)}
              aria-current={note.id === draft.editing || undefined}
            >
              <NoteText note={note} misfit={misfitOf(note)} />
              <span className="row">
                <Button variant="link" onClick={() => edit(note)}>
                  {messages.changes.edit}
                </Button>
                <Button variant="link" onClick={() => change(withoutNote(draft, note.id))}>
                  {messages.changes.remove}
                </Button>
              </span>
            </li>
          ))}
        </NoteList>
      )}
      {mistake && <FormError key={mistake.at} text={mistake.text} />}
      {error && <FormError key={error.at} text={error.text} />}
      <div className="row">
        <Button variant="primary" busy={busy} onClick={() => void send()}>
          {messages.changes.send}
        </Button>
      </div>
    </div>
  )
}

const NoteList = ({ children }: { children: ReactNode }) => (
  <ul aria-label={messages.changes.notes} className={`rows ${styles.notes}`}>
    {children}
  </ul>
)

const placeOf = ({ version, atMs }: Pick<DraftNote, 'version' | 'atMs'>): string =>
  messages.changes.at(
    messages.version(version),
    atMs === null ? messages.changes.whole : formatDuration(atMs),
  )

const NoteText = (props: {
  note: Pick<DraftNote, 'version' | 'atMs' | 'text'>
  /** Why it cannot be sent. */
  misfit?: string | null
}) => {
  const { note, misfit } = props
  return (
    <span className={`verse ${styles.text}`}>
      <span className={`mono ${styles.place}`}>{placeOf(note)}</span>
      {misfit && <span className="bad">{misfit}</span>}
      <bdi data-empty={note.text === '' || undefined}>
        {withLineFeeds(note.text) || messages.changes.empty}
      </bdi>
    </span>
  )
}

/** The playing position of a version; before it plays, one that was chosen. */
function usePosition(song: Song, version: 1 | 2) {
  const wave = useWaveform(song, version)
  // there when that version is chosen
  const other = useWaveform(song, version === 1 ? 2 : 1)
  const { id, src } = takeSound({ song, version }, 'changes')
  const sound = useSound(id, src)
  const { isCurrent } = sound
  const [cuedMs, setCuedMs] = useState(0)
  usePauseOnUnmount(id)
  useMediaMetadata(isCurrent, songName(song), siteConfig.brand)
  // another sound may take its place: it goes on from where it was
  if (isCurrent && cuedMs !== sound.positionMs) setCuedMs(sound.positionMs)
  const durationMs = sound.durationMs || wave.data?.durationMs || 0
  // a note after the end would be refused, and the browser may measure a little more than the server
  const longest = wave.data?.durationMs ?? durationMs
  return {
    wave,
    /** The end of each version, after which a note would be refused; undefined until known. */
    lastMs: new Map([
      [version, wave.data?.durationMs],
      [version === 1 ? 2 : 1, other.data?.durationMs],
    ]),
    durationMs,
    atMs: Math.floor(Math.min(isCurrent ? sound.positionMs : cuedMs, longest)),
    isPlaying: sound.playing,
    isLoading: sound.loading,
    failed: sound.failed,
    toggle: () => sound.toggle(isCurrent ? { gain: 1 } : { fromMs: cuedMs, gain: 1 }),
    /** Plays the other version from the same position. */
    playOther: (other: 1 | 2): void => {
      const next = takeSound({ song, version: other }, 'changes')
      play(next.id, next.src, { fromMs: sound.positionMs, gain: 1 })
    },
    cue: (ms: number): void => {
      setCuedMs(ms)
      if (isCurrent) seek(id, ms)
    },
  }
}
