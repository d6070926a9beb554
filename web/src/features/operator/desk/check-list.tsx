import { TriangleAlert } from 'lucide-react'
import { messages } from '../../../messages.ts'
import { formatDuration } from '../../../text/time.ts'
import { type Checks, isChecking } from '../check-files.ts'
import type { Files } from '../delivery.ts'
import { doubtsAbout } from '../doubts.tsx'
import type { Measures } from '../measure.ts'
import styles from './desk.module.css'

const LONG_SILENCE_MS = 2_000

/** What was found in the chosen files: figures of each, then what is doubtful. */
export function CheckList({ files, checks }: { files: Files; checks: Checks }) {
  const { desk } = messages
  if (!files[0] && !files[1]) return null
  const warnings = [
    ...doubtsAbout(checks),
    ...checks.measures.flatMap((one, n) => (one ? warningsOf(one, messages.version(n + 1)) : [])),
  ]
  return (
    <div>
      <h3>{desk.checks}</h3>
      <ul aria-label={desk.checks} aria-busy={isChecking(checks)} className={styles.checks}>
        {files.map(
          (file, n) =>
            file && (
              <li key={messages.version(n + 1)}>
                <strong>{messages.version(n + 1)}</strong> <Figures measures={checks.measures[n as 0 | 1]} />
              </li>
            ),
        )}
        {warnings.map((warning) => (
          <li key={warning} className={styles.late}>
            <TriangleAlert aria-hidden size={16} /> {warning}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Figures({ measures }: { measures: Measures | null | undefined }) {
  const { desk } = messages
  if (measures === undefined) return <span className={styles.soft}>{desk.checking}</span>
  if (measures === null) return <span className={styles.soft}>{desk.unreadable}</span>
  return <span>{figuresOf(measures).join(' · ')}</span>
}

function figuresOf({ durationMs, loudnessLufs, peakDb, clips, ...silence }: Measures): string[] {
  const { desk } = messages
  return [
    desk.duration(formatDuration(durationMs)),
    ...(loudnessLufs === null ? [] : [desk.loudness(loudnessLufs)]),
    ...(peakDb === null ? [] : [desk.peak(peakDb)]),
    desk.silence(silence.silenceBeforeMs / 1000, silence.silenceAfterMs / 1000),
    desk.clipping(clips),
  ]
}

function warningsOf({ peakDb, clips, ...silence }: Measures, name: string): string[] {
  const { desk } = messages
  if (peakDb === null) return [desk.onlySilence(name)]
  return [
    ...(silence.silenceBeforeMs > LONG_SILENCE_MS ? [desk.beginsSilent(name)] : []),
    ...(silence.silenceAfterMs > LONG_SILENCE_MS ? [desk.endsSilent(name)] : []),
    ...(clips > 0 ? [desk.clipped(name)] : []),
  ]
}
