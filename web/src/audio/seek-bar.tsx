import type { KeyboardEvent, ReactNode } from 'react'
import type { Waveform as WaveformData } from '@prelude/contracts'
import { messages } from '../messages.ts'
import { formatDuration } from '../text/time.ts'
import { FLAT_PEAKS, Waveform } from '../ui/waveform.tsx'
import styles from './seek-bar.module.css'
import { COLOURS } from './version-switch.tsx'

const STEP_MS = 5_000
const PAGE_MS = 30_000
/** Browsers move a slider by one `step` a key press, here a millisecond: these keys move it further. */
const STEPS_MS: Readonly<Record<string, number>> = {
  ArrowLeft: -STEP_MS,
  ArrowDown: -STEP_MS,
  ArrowRight: STEP_MS,
  ArrowUp: STEP_MS,
  PageDown: -PAGE_MS,
  PageUp: PAGE_MS,
  Home: -Infinity,
  End: Infinity,
}

/** The waveform of a version as a slider; children lie over it. */
export function SeekBar(props: {
  className?: string | undefined
  /** The accessible name; "Position" if not given. */
  label?: string
  version: 1 | 2
  wave: { data: WaveformData | undefined; isPending: boolean }
  positionMs: number
  durationMs: number
  height?: number
  onSeek: (ms: number) => void
  children?: ReactNode
}) {
  const { version, wave, positionMs, durationMs, onSeek } = props
  const seekByKey = (event: KeyboardEvent): void => {
    const stepMs = STEPS_MS[event.key]
    if (stepMs === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    onSeek(Math.min(durationMs, Math.max(0, positionMs + stepMs)))
  }
  return (
    <div className={`${styles.seek} ${props.className ?? ''}`} aria-busy={wave.isPending}>
      <Waveform
        peaks={wave.data?.peaks ?? FLAT_PEAKS}
        played={durationMs > 0 ? positionMs / durationMs : 0}
        colour={COLOURS[version]}
        {...(props.height !== undefined && { height: props.height })}
      />
      {props.children}
      {wave.data?.peaks.length === 0 && <p className="soft hint">{messages.player.noWaveform}</p>}
      <input
        type="range"
        aria-label={props.label ?? messages.player.position}
        aria-valuetext={messages.player.positionOf(formatDuration(positionMs), formatDuration(durationMs))}
        min={0}
        max={Math.max(1, Math.round(durationMs))}
        value={Math.round(positionMs)}
        onKeyDown={seekByKey}
        onChange={(event) => onSeek(Number(event.target.value))}
      />
    </div>
  )
}
