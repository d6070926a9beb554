import { Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { type Changes, markDirections, type Song, withLineFeeds } from '@prelude/contracts'
import { Marks } from '../../../audio/marks.tsx'
import { SeekBar } from '../../../audio/seek-bar.tsx'
import { seek, useSound } from '../../../audio/shared-audio.ts'
import { takeSound } from '../../../audio/take.ts'
import { useWaveform } from '../../../audio/use-waveform.ts'
import { messages, siteConfig } from '../../../messages.ts'
import { Button } from '../../../ui/button.tsx'
import { useOverlays } from '../../../state/overlays.ts'
import { lastValues, localStore } from '../../../browser/storage.ts'
import { formatDuration } from '../../../text/time.ts'
import styles from './desk.module.css'
import { Checkbox } from '../../../ui/field.tsx'
import { RedoPart } from './redo-part.tsx'

type Note = Changes['notes'][number]

/** What the person asked for, to be listened to and ticked off. The ticks are the operator's own and stay in this browser. */
export function AskedChanges({ song, changes, uid }: { song: Song; changes: Changes; uid: string }) {
  const [ticked, tick] = useTicks(uid, `${song.id}/${changes.askedAt}`)
  return (
    <div>
      <h3>{messages.desk.notes}</h3>
      {([1, 2] as const).map((version) => {
        const notes = changes.notes.filter((note) => note.version === version)
        return notes.length > 0 && <NotedWaveform key={version} song={song} version={version} notes={notes} />
      })}
      <ul aria-label={messages.desk.notes} className={`rows ${styles.notes}`}>
        {changes.notes.map((note, n) => (
          // oxlint-disable-next-line react/no-array-index-key -- the notes of a round never change, and have no other key
          <li key={n} className="row split">
            <Checkbox checked={ticked.has(n)} onChange={(checked) => tick(n, checked)}>
              <span dir="auto">{markDirections(withLineFeeds(note.text))}</span>
            </Checkbox>
            <PlayNote song={song} note={note} />
            {siteConfig.generator && changes.state === 'asked' && note.atMs !== null && (
              <RedoNote song={song} version={note.version} atMs={note.atMs} />
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A version as a waveform with its notes on it. To seek in it plays it from there. */
function NotedWaveform(props: { song: Song; version: 1 | 2; notes: readonly Note[] }) {
  const { song, version, notes } = props
  const choice = { song, version }
  const wave = useWaveform(song, version)
  const { id, src } = takeSound(choice)
  const sound = useSound(id, src)
  const overlays = useOverlays()
  const durationMs = wave.data?.durationMs ?? sound.durationMs
  return (
    <div className={`stack gap-1 ${styles.wave}`}>
      <span>{messages.version(version)}</span>
      <SeekBar
        label={messages.desk.positionIn(messages.version(version))}
        version={version}
        wave={wave}
        positionMs={sound.positionMs}
        durationMs={durationMs}
        onSeek={(ms) => {
          if (!sound.isCurrent) overlays.openPlayer(choice)
          seek(id, ms)
        }}
      >
        <Marks positionsMs={notes.map(({ atMs }) => atMs)} within={durationMs} />
      </SeekBar>
    </div>
  )
}

/** Plays the version from where the note is. */
function PlayNote({ song, note: { version, atMs } }: { song: Song; note: Note }) {
  const overlays = useOverlays()
  const button = useRef<HTMLButtonElement>(null)
  const colour = version === 1 ? 'var(--record)' : 'var(--teal)'
  const play = (): void => {
    const choice = { song, version, returnFocus: () => button.current?.focus() }
    overlays.openPlayer(choice)
    seek(takeSound(choice).id, atMs ?? 0)
  }
  return (
    <Button ref={button} small onClick={play}>
      <Play aria-hidden size={14} fill={colour} color={colour} />
      {messages.desk.playFrom(messages.version(version), formatDuration(atMs ?? 0))}
    </Button>
  )
}

/** The note is about the newest take: there is no other one before the round has ended. */
function RedoNote({ song, version, atMs }: { song: Song; version: 1 | 2; atMs: number }) {
  const take = song.takes?.[version] ?? 1
  return (
    <RedoPart
      songId={song.id}
      lengthMs={useWaveform(song, version).data?.durationMs}
      aroundMs={atMs}
      of={(part) => ({ version, take, ...part })}
    />
  )
}

/** The ticks of a round of changes. */
function useTicks(
  uid: string,
  round: string,
): readonly [ReadonlySet<number>, (n: number, isTicked: boolean) => void] {
  const [kept] = useState(() => lastValues<readonly number[]>(localStore, `prelude-notes:${uid}`))
  const [ticked, setTicked] = useState(() => new Set(kept.get(round)))
  const tick = (n: number, isTicked: boolean): void => {
    const next = new Set(ticked)
    if (isTicked) next.add(n)
    else next.delete(n)
    kept.set(round, [...next])
    setTicked(next)
  }
  return [ticked, tick]
}
