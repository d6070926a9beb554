import type { ReactNode } from 'react'
import type { Waveform as WaveformData } from '@prelude/contracts'
import { messages } from '../messages.ts'
import { formatDuration } from '../ui/time.ts'
import { Waveform } from '../ui/waveform.tsx'
import styles from './seek-bar.module.css'
import { COLOURS } from './version-switch.tsx'

/** A flat line until the waveform is loaded. */
const FLAT_PEAKS = Array.from({ length: 80 }, () => 0.01)

/** The waveform of a version as a slider; children lie over it. */
export function SeekBar(props: {
  className?: string | undefined
  version: 1 | 2
  wave: { data: WaveformData | undefined; isPending: boolean }
  positionMs: number
  durationMs: number
  onSeek: (ms: number) => void
  children?: ReactNode
}) {
  const { version, wave, positionMs, durationMs } = props
  return (
    <div className={`${styles.seek} ${props.className ?? ''}`} aria-busy={wave.isPending}>
      <Waveform
        peaks={wave.data?.peaks ?? FLAT_PEAKS}
        played={durationMs > 0 ? positionMs / durationMs : 0}
        colour={COLOURS[version]}
      />
      {props.children}
      <input
        type="range"
        aria-label={messages.player.position}
        aria-valuetext={messages.player.positionOf(formatDuration(positionMs), formatDuration(durationMs))}
        min={0}
        max={Math.max(1, Math.round(durationMs))}
        value={Math.round(positionMs)}
        onChange={(event) => props.onSeek(Number(event.target.value))}
      />
    </div>
  )
}
