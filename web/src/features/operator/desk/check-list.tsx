import { Check, TriangleAlert } from 'lucide-react'
import { format, messages } from '../../../messages.ts'
import { formatDuration } from '../../../text/time.ts'
import { type Checks, isChecking } from '../check-files.ts'
import type { Files } from '../delivery.ts'
import { Doubts, SHORT_MS } from '../doubts.tsx'
import type { Measures } from '../measure.ts'
import styles from './desk.module.css'

const LONG_SILENCE_MS = 2_000
/** Streaming services play songs at -14 LUFS; one this much quieter or louder is hardly finished. */
const QUIET_LUFS = -18
const LOUD_LUFS = -8

/** What was found in the chosen files: marks of each, with the figures on demand, then what is doubtful. */
export function CheckList({ files, checks }: { files: Files; checks: Checks }) {
  const { desk } = messages
  if (!files[0] && !files[1]) return null
  return (
    <div>
      <h3>{desk.checks}</h3>
      <ul aria-label={desk.checks} aria-busy={isChecking(checks)} className={styles.checks}>
        {files.map(
          (file, n) =>
            file &&
            !checks.areUnreadable[n as 0 | 1] && (
              <li key={messages.version(n + 1)}>
                <Found name={messages.version(n + 1)} measures={checks.measures[n as 0 | 1]} />
              </li>
            ),
        )}
        <Doubts as="li" checks={checks} />
      </ul>
    </div>
  )
}

function Found({ name, measures }: { name: string; measures: Measures | null | undefined }) {
  const { desk } = messages
  if (!measures)
    return (
      <p className="soft">
        <strong>{name}</strong> {desk.checking}
      </p>
    )
  return (
    <details>
      <summary>
        <strong>{name}</strong>
        {marksOf(measures).map(([isGood, text]) => (
          <span key={text} className={isGood ? styles.good : 'bad'}>
            {isGood ? <Check aria-hidden size={16} /> : <TriangleAlert aria-hidden size={16} />} {text}
          </span>
        ))}
      </summary>
      <p className="soft">{figuresOf(measures).join(' · ')}</p>
    </details>
  )
}

/** A verdict for each thing that is checked. */
function marksOf(measures: Measures): readonly (readonly [isGood: boolean, text: string])[] {
  const { marks } = messages.desk
  const { durationMs, loudnessLufs, clips, silenceBeforeMs, silenceAfterMs } = measures
  const seconds = (ms: number): string => format.tenth(ms / 1000)
  return [
    durationMs < SHORT_MS ? [false, marks.short(formatDuration(durationMs))] : [true, marks.length],
    loudnessLufs === null
      ? [false, marks.silent]
      : loudnessLufs < QUIET_LUFS
        ? [false, marks.quiet(format.tenth(loudnessLufs))]
        : loudnessLufs > LOUD_LUFS
          ? [false, marks.loud(format.tenth(loudnessLufs))]
          : [true, marks.loudness],
    clips > 0 ? [false, marks.clipped(clips)] : [true, marks.peak],
    silenceBeforeMs > LONG_SILENCE_MS
      ? [false, marks.lateStart(seconds(silenceBeforeMs))]
      : [true, marks.start],
    silenceAfterMs > LONG_SILENCE_MS ? [false, marks.longEnd(seconds(silenceAfterMs))] : [true, marks.end],
  ]
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
