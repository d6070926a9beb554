import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Pause, Play, X } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { Song, Waveform as WaveformData } from '@prelude/contracts'
import { api, ApiProblem } from '../../api/client.ts'
import type { PlayerChoice } from '../../ui/overlays.ts'
import { cachedSong } from '../../api/queries.ts'
import { useMediaMetadata } from '../../audio/media-session.ts'
import { seek, setLoudness, useSound } from '../../audio/shared-audio.ts'
import { takeSound } from '../../audio/take.ts'
import { messages, siteConfig } from '../../messages.ts'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import { Reel } from '../../ui/brand.tsx'
import { formatDuration } from '../../ui/time.ts'
import { usePublishedHeight } from '../../ui/published-height.ts'
import { SaveLink } from '../../ui/save-link.tsx'
import { Delayed } from '../../ui/loading.tsx'
import { Waveform } from '../../ui/waveform.tsx'
import styles from './player.module.css'

const VERSIONS = [1, 2] as const
const COLOURS = { 1: '--record', 2: '--teal' } as const
const SEEK_STEP_MS = 5_000
const ANALYSIS_DELAY_MS = 4_000
/** A flat line until the waveform is loaded. */
const FLAT_PEAKS = Array.from({ length: 80 }, () => 0.01)

/** The bottom panel. Switching between the two takes keeps position and loudness, so that they can be compared. */
export default function Player(props: {
  choice: PlayerChoice
  onChoose: (choice: PlayerChoice) => void
  onClose: () => void
}) {
  const { choice, onChoose, onClose } = props
  const song = useQuery({
    queryKey: ['song', choice.songId],
    queryFn: ({ signal }) => api.get<Song>(`/api/songs/${choice.songId}`, { signal }),
    placeholderData: () => cachedSong(choice.songId),
  }).data
  const wave = useWaveform(choice, song)
  const other = useWaveform({ ...choice, version: choice.version === 1 ? 2 : 1 }, song)
  const { id, src } = takeSound(choice)
  const sound = useSound(id, src)
  const { isCurrent } = sound
  const gain = matchedGain(wave.data, other.data)
  const durationMs = sound.durationMs || wave.data?.durationMs || 0
  const title = song?.style.trim() ? song.style : messages.untitled
  const panel = usePublishedHeight<HTMLElement>('--player-height')
  const playButton = useFocusOnOpen(choice)
  const [isFolded, setFolded] = useState(false)
  const lyricsId = useId()
  const close = (): void => {
    onClose()
    choice.returnFocus?.()
  }

  // another sound may play meanwhile (a sample of the landing page): then this one continues where it was
  const lastPosition = useRef(0)
  useEffect(() => {
    if (isCurrent) lastPosition.current = sound.positionMs
  }, [isCurrent, sound.positionMs])
  const toggle = (): void => sound.toggle(isCurrent ? {} : { fromMs: lastPosition.current, gain })
  useEffect(() => {
    if (isCurrent) setLoudness(id, gain)
  }, [id, gain, isCurrent])
  useMediaMetadata(isCurrent, title, siteConfig.brand)
  const shortcuts: Shortcuts = {
    toggle,
    step: (ms) => seek(id, sound.positionMs + ms),
    version: (version) => onChoose({ ...choice, version }),
    close,
  }

  return (
    <section
      ref={panel}
      className={`night ${styles.player}`}
      aria-label={messages.player.title}
      style={takeColours(choice.version)}
      onKeyDown={(event) => handleShortcut(event, shortcuts)}
    >
      <div className={styles.top}>
        <button
          ref={playButton}
          type="button"
          className={styles.play}
          aria-label={sound.playing ? messages.player.pause : messages.player.play}
          aria-busy={sound.loading}
          onClick={toggle}
        >
          {sound.playing ? (
            <Pause aria-hidden fill="currentColor" />
          ) : (
            <Play aria-hidden fill="currentColor" />
          )}
        </button>
        <div>
          <h2 dir="auto" className={styles.title}>
            {title}
          </h2>
          <span className={`mono ${styles.time}`}>
            {formatDuration(sound.positionMs)} / {formatDuration(durationMs)}
            {sound.loading && (
              <Delayed>
                <Reel />
              </Delayed>
            )}
          </span>
          {sound.blocked && <p className={styles.blocked}>{messages.player.pressPlay}</p>}
          {sound.failed && (
            <p role="alert" className={styles.blocked}>
              {messages.player.failed}
            </p>
          )}
        </div>
        <div className={styles.seek} aria-busy={wave.isPending}>
          <Waveform
            peaks={wave.data?.peaks ?? FLAT_PEAKS}
            played={durationMs > 0 ? sound.positionMs / durationMs : 0}
            colour={COLOURS[choice.version]}
          />
          <input
            type="range"
            aria-label={messages.player.position}
            aria-valuetext={messages.player.positionOf(
              formatDuration(sound.positionMs),
              formatDuration(durationMs),
            )}
            min={0}
            max={Math.max(1, Math.round(durationMs))}
            value={Math.round(sound.positionMs)}
            onChange={(event) => seek(id, Number(event.target.value))}
          />
        </div>
        <VersionSwitch choice={choice} song={song} onChoose={onChoose} />
        <IconButton label={messages.close} onClick={close}>
          <X aria-hidden size={20} />
        </IconButton>
      </div>
      {/* focusable, so that long lyrics can be scrolled with the keyboard */}
      <p id={lyricsId} dir="auto" hidden={isFolded} className={styles.lyrics} tabIndex={0}>
        {song && (song.lyrics.trim() === '' ? messages.noLyrics : song.lyrics)}
      </p>
      <p aria-live="polite" className="visually-hidden">
        {sound.playing && messages.player.nowPlaying(messages.version(choice.version))}
      </p>
      <div className={styles.links}>
        <a className={buttonClass('outline', true)} href={src} target="_blank" rel="noreferrer">
          {messages.player.download}
        </a>
        <SaveLink className={buttonClass('quiet', true)} href={`${src}?download=1`}>
          {messages.player.save}
        </SaveLink>
        <button
          type="button"
          className={`${buttonClass('quiet', true)} ${styles.fold}`}
          aria-expanded={!isFolded}
          aria-controls={lyricsId}
          onClick={() => setFolded(!isFolded)}
        >
          {messages.player.lyrics} <ChevronDown aria-hidden size={16} />
        </button>
      </div>
    </section>
  )
}

function VersionSwitch(props: {
  choice: PlayerChoice
  song: Song | undefined
  onChoose: (choice: PlayerChoice) => void
}) {
  const available = VERSIONS.filter(
    (n) => (n === 1 ? props.song?.downloadUrl1 : props.song?.downloadUrl2) !== null,
  )
  return (
    <div className={styles.takes} role="radiogroup" aria-label={messages.player.version}>
      {available.map((version) => (
        <label key={version} style={takeColours(version)}>
          <input
            type="radio"
            name="version"
            checked={props.choice.version === version}
            onChange={() => props.onChoose({ ...props.choice, version })}
          />
          {messages.version(version)}
        </label>
      ))}
    </div>
  )
}

const takeColours = (version: 1 | 2): CSSProperties =>
  ({
    '--take': `var(${COLOURS[version]})`,
    '--on-take': version === 1 ? 'var(--on-record)' : 'var(--on-teal)',
  }) as CSSProperties

/** `isPending`: no data, or that of the previous version. */
function useWaveform({ songId, version }: PlayerChoice, song: Song | undefined) {
  const { data, isPlaceholderData } = useQuery({
    // a new revision may mean a finished analysis or a replaced file
    queryKey: ['waveform', songId, version, song?.revision],
    queryFn: async () => {
      await waitForAnalysis(song?.updatedAt ?? 0)
      return api
        .get<WaveformData>(`/api/songs/${songId}/versions/${version}/waveform`)
        .catch((error: unknown) => {
          if (error instanceof ApiProblem && error.status === 404) return null
          throw error
        })
    },
    enabled: song !== undefined,
    refetchInterval: ({ state }) => (state.data === null ? ANALYSIS_DELAY_MS : false),
    placeholderData: (previous) => previous,
  })
  return { data: data ?? undefined, isPending: isPlaceholderData || !data }
}

/** Audio is analysed within seconds after fulfilment; an earlier request would be a 404. */
const waitForAnalysis = (updatedAt: number): Promise<void> =>
  new Promise((resolve) => {
    // bounded: this computer's clock may be wrong
    const delayMs = Math.min(updatedAt + ANALYSIS_DELAY_MS - Date.now(), ANALYSIS_DELAY_MS)
    setTimeout(resolve, Math.max(0, delayMs))
  })

/** The gain that lowers the louder take to the loudness of the other one. */
function matchedGain(own: WaveformData | undefined, other: WaveformData | undefined): number {
  const [ownLufs, otherLufs] = [own?.loudnessLufs, other?.loudnessLufs]
  if (ownLufs === null || ownLufs === undefined || otherLufs === null || otherLufs === undefined) return 1
  return Math.min(1, 10 ** ((otherLufs - ownLufs) / 20))
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
  if (event.ctrlKey || event.metaKey || event.altKey) return
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
