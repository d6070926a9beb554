import { ChevronUp, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { isBlank, type Song, type Waveform, withLineFeeds } from '@prelude/contracts'
import type { PlayerChoice } from '../../state/overlays.ts'
import { useSong } from '../../api/songs.ts'
import { SeekBar } from '../../audio/seek-bar.tsx'
import { useWaveform } from '../../audio/use-waveform.ts'
import { takeColours, VersionSwitch, versionsOf } from '../../audio/version-switch.tsx'
import { useMediaMetadata } from '../../audio/media-session.ts'
import { seek, setLoudness, useSound } from '../../audio/shared-audio.ts'
import { saveAddress, takeSound, versionAddress } from '../../audio/take.ts'
import { messages, siteConfig } from '../../messages.ts'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import { Reel } from '../../ui/brand.tsx'
import { songName } from '../../text/song-name.ts'
import { formatDuration } from '../../text/time.ts'
import { usePublishedHeight } from '../../browser/published-height.ts'
import { SaveLink } from '../../ui/save-link.tsx'
import { Delayed } from '../../ui/loading.tsx'
import { PlayIcon } from '../../ui/play-icon.tsx'
import styles from './player.module.css'

const SEEK_STEP_MS = 5_000

/** A bar at the bottom, with a sheet over it that has lyrics and files. Switching between the two takes keeps position and loudness, so that they can be compared. */
export default function Player(props: {
  choice: PlayerChoice
  onChoose: (choice: PlayerChoice) => void
  onClose: () => void
}) {
  const { choice, onChoose, onClose } = props
  const song = useNewest(choice.song)
  const { version, take } = choice
  const wave = useWaveform(song, version, take)
  const other = useWaveform(song, version === 1 ? 2 : 1)
  const { id, src } = takeSound({ ...choice, song })
  const sound = useSound(id, src)
  const { isCurrent } = sound
  const gain = matchedGain(wave.data, other.data)
  const durationMs = sound.durationMs || wave.data?.durationMs || 0
  const title = songName(song)
  const panel = usePublishedHeight<HTMLElement>('--player-height')
  const playButton = useFocusOnOpen(choice)
  const [isOpen, setOpen] = useState(choice.isOpen === true)
  const [shown, setShown] = useState(choice)
  if (choice !== shown) {
    setShown(choice)
    if (choice.isOpen) setOpen(true)
  }
  const lyricsId = useId()
  const close = (): void => {
    onClose()
    choice.returnFocus?.()
  }

  // another sound may play meanwhile (a sample of the landing page): then this one goes on from where it was
  const last = useRef({ id, positionMs: 0 })
  useEffect(() => {
    if (!isCurrent && last.current.id === id && last.current.positionMs > 0) seek(id, last.current.positionMs)
    last.current = { id, positionMs: isCurrent ? sound.positionMs : 0 }
  }, [id, isCurrent, sound.positionMs])
  const toggle = (): void => sound.toggle(isCurrent ? {} : { gain })
  useEffect(() => {
    if (isCurrent) setLoudness(id, gain)
  }, [id, gain, isCurrent])
  useMediaMetadata(isCurrent, title, siteConfig.brand)
  const shortcuts: Shortcuts = {
    toggle,
    step: (ms) => seek(id, sound.positionMs + ms),
    version: (one) => versionsOf(song).includes(one) && onChoose(withVersion(choice, song, one)),
    close,
  }

  return (
    <section
      ref={panel}
      className={`night ${styles.player}`}
      aria-label={messages.player.title}
      data-open={isOpen || undefined}
      style={takeColours(version)}
      onKeyDown={(event) => handleShortcut(event, shortcuts)}
    >
      <button
        ref={playButton}
        type="button"
        className="play filled"
        aria-label={sound.playing ? messages.player.pause : messages.player.play}
        aria-busy={sound.loading}
        onClick={toggle}
      >
        <PlayIcon playing={sound.playing} size={20} />
      </button>
      <div className={styles.about}>
        <h2 dir="auto" className={`cut ${styles.title}`}>
          {title}
        </h2>
        {sound.failed ? (
          <p role="alert" className={`bad ${styles.blocked}`}>
            {messages.player.failed[sound.failed]}
          </p>
        ) : (
          <p className={`mono line soft ${styles.time}`}>
            {sound.blocked ? (
              <span className={`bad ${styles.blocked}`}>{messages.player.pressPlay}</span>
            ) : (
              `${formatDuration(sound.positionMs)} / ${formatDuration(durationMs)}`
            )}
            {take !== undefined && <span>{messages.song.take(take)}</span>}
            {sound.loading && (
              <Delayed>
                <Reel />
              </Delayed>
            )}
          </p>
        )}
      </div>
      <SeekBar
        className={styles.seek}
        version={version}
        wave={wave}
        positionMs={sound.positionMs}
        durationMs={durationMs}
        onSeek={(ms) => seek(id, ms)}
      />
      <VersionSwitch
        song={song}
        version={version}
        isShort
        onChoose={(one) => onChoose(withVersion(choice, song, one))}
      />
      <div className={styles.links}>
        <a
          className={buttonClass('outline', true)}
          href={versionAddress(choice)}
          target="_blank"
          rel="noreferrer"
        >
          {messages.player.download}
        </a>
        <SaveLink className={buttonClass('quiet', true)} href={saveAddress(choice)}>
          {messages.player.save}
        </SaveLink>
      </div>
      <IconButton
        label={messages.player.lyrics}
        aria-expanded={isOpen}
        aria-controls={isOpen ? lyricsId : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronUp aria-hidden size={20} className={styles.chevron} />
      </IconButton>
      <IconButton label={messages.close} onClick={close}>
        <X aria-hidden size={20} />
      </IconButton>
      {isOpen && (
        // focusable, so that long lyrics can be scrolled with the keyboard
        <p id={lyricsId} dir="auto" className={styles.lyrics} tabIndex={0}>
          {isBlank(song.lyrics) ? messages.noLyrics : withLineFeeds(song.lyrics)}
        </p>
      )}
      <p aria-live="polite" className="visually-hidden">
        {sound.playing && messages.player.nowPlaying(messages.version(version))}
      </p>
    </section>
  )
}

/** The newest take of that version: takes of two versions do not belong together. */
const withVersion = ({ returnFocus }: PlayerChoice, song: Song, version: 1 | 2): PlayerChoice => ({
  song,
  version,
  ...(returnFocus && { returnFocus }),
})

/** The gain that lowers the louder take to the loudness of the other one. */
function matchedGain(own: Waveform | undefined, other: Waveform | undefined): number {
  const [ownLufs, otherLufs] = [own?.loudnessLufs, other?.loudnessLufs]
  if (ownLufs === null || ownLufs === undefined || otherLufs === null || otherLufs === undefined) return 1
  return Math.min(1, 10 ** ((otherLufs - ownLufs) / 20))
}

/** The song as it is now, of which the control that opened the panel may know more than the cache. */
function useNewest(song: Song): Song {
  const { data } = useSong(song.id)
  return data && data.revision > song.revision ? data : song
}

/** Moves the focus into the panel, which is far from the control that opened it. */
function useFocusOnOpen({ returnFocus }: PlayerChoice) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (returnFocus) button.current?.focus({ preventScroll: true })
  }, [returnFocus])
  return button
}

interface Shortcuts {
  readonly toggle: () => void
  readonly step: (ms: number) => void
  readonly version: (version: 1 | 2) => void
  readonly close: () => void
}

/** Space, arrow keys, 1, 2 and Escape while the focus is in the panel, where its control does not use them itself. */
function handleShortcut(event: KeyboardEvent, { toggle, step, version, close }: Shortcuts): void {
  const target = event.target as HTMLElement
  // the slider has moved
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === ' ' && target.closest('button, a, input')) return
  if (event.key.startsWith('Arrow') && target.closest('input[type=radio]')) return
  const actions: Record<string, () => void> = {
    ' ': toggle,
    ArrowLeft: () => step(-SEEK_STEP_MS),
    ArrowRight: () => step(SEEK_STEP_MS),
    1: () => version(1),
    2: () => version(2),
    Escape: close,
  }
  const action = actions[event.key]
  if (!action) return
  event.preventDefault()
  action()
}
