import type { ReactNode, RefObject } from 'react'
import type { Waveform as WaveformData } from '@prelude/contracts'
import { messages } from '../messages.ts'
import { Reel } from '../ui/brand.tsx'
import { Delayed } from '../ui/loading.tsx'
import { FLAT_PEAKS, Waveform } from '../ui/waveform.tsx'
import { PlayIcon } from '../ui/play-icon.tsx'
import { formatDuration } from '../text/time.ts'
import { SeekBar } from './seek-bar.tsx'
import { seek, type useSound } from './shared-audio.ts'
import styles from './take-row.module.css'
import { COLOURS, takeColours } from './version-switch.tsx'

/**
 * A take as a row of a list: play, name, waveform and duration. The chosen row, which plays or is the next to play, has the
 * slider; a press anywhere on another one plays it.
 */
export function TakeRow(props: {
  /** The sound's id. */
  id: string
  sound: ReturnType<typeof useSound>
  version: 1 | 2
  /** Of the button that plays it. */
  playLabel: string
  isChosen?: boolean
  isEarlier?: boolean
  wave: { data: WaveformData | undefined; isPending: boolean }
  durationMs: number
  onToggle: () => void
  playRef?: RefObject<HTMLButtonElement | null>
  label: ReactNode
  /** How it was made, where that is said. */
  made?: ReactNode
  /** What else can be done with it. */
  children?: ReactNode
}) {
  const {
    id,
    sound,
    version,
    isChosen,
    isEarlier,
    wave,
    durationMs,
    playRef,
    onToggle,
    label,
    playLabel,
    made,
    children,
  } = props
  const played = durationMs > 0 ? sound.positionMs / durationMs : 0
  return (
    <li
      className={styles.take}
      style={takeColours(version)}
      data-chosen={isChosen || undefined}
      data-earlier={isEarlier || undefined}
    >
      <button
        ref={playRef}
        type="button"
        className={`play ${styles.play}`}
        aria-label={playLabel}
        aria-pressed={sound.playing}
        aria-busy={sound.loading}
        onClick={onToggle}
      >
        <PlayIcon playing={sound.playing} />
      </button>
      <span className={styles.name}>{label}</span>
      <div className={styles.wave}>
        {isChosen ? (
          <SeekBar
            version={version}
            wave={wave}
            positionMs={sound.positionMs}
            durationMs={durationMs}
            onSeek={(ms) => seek(id, ms)}
          />
        ) : (
          <Waveform peaks={wave.data?.peaks ?? FLAT_PEAKS} played={played} colour={COLOURS[version]} />
        )}
      </div>
      <span className={`mono line soft ${styles.time}`}>
        {sound.loading && (
          <Delayed>
            <Reel />
          </Delayed>
        )}
        {sound.isCurrent && `${formatDuration(sound.positionMs)} / `}
        {durationMs > 0 && formatDuration(durationMs)}
      </span>
      <span className={`line gap-1 ${styles.more}`}>{children}</span>
      {made && <p className={`soft hint ${styles.made}`}>{made}</p>}
      {sound.blocked && <p className={`bad ${styles.failed}`}>{messages.player.pressPlay}</p>}
      {sound.failed && (
        <p role="alert" className={`bad ${styles.failed}`}>
          {messages.player.failed[sound.failed]}
        </p>
      )}
    </li>
  )
}
