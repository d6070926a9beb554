import { type Brief, markDirections } from '@prelude/contracts'
import { messages } from '../messages.ts'
import styles from './brief-list.module.css'

/** What a person said about a song beside lyrics and style. */
export function BriefList({ brief }: { brief: Brief }) {
  const { title, labels, keepWords, yes, tempoOf } = messages.brief
  const { tempoBpm, instruments, reference } = brief
  const lines: readonly (readonly [label: string, value: string | undefined])[] = [
    [labels.genre, brief.genre],
    [labels.mood, brief.mood],
    [labels.tempo, tempoBpm === undefined ? undefined : tempoOf(tempoBpm)],
    [labels.voice, brief.voice],
    [labels.language, brief.language],
    [labels.instruments, instruments?.join(', ')],
    [labels.reference, reference],
    [keepWords, brief.keepWords === true ? yes : undefined],
  ]
  return (
    <>
      <h3 className={styles.title}>{title}</h3>
      <dl className={styles.lines}>
        {lines.map(
          ([label, value]) =>
            value !== undefined && (
              <div key={label}>
                <dt>{label}</dt>
                <dd dir="auto">
                  {value === reference ? (
                    <a href={value} target="_blank" rel="noreferrer">
                      {markDirections(value)}
                    </a>
                  ) : (
                    markDirections(value)
                  )}
                </dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}
