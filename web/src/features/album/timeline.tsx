import { TriangleAlert } from 'lucide-react'
import { format, messages } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import type { Step } from './steps.ts'
import styles from './timeline.module.css'

/**
 * The way of an order as a stretch of tape. A group in reading order and no list: the only list items of the album are
 * its requests, for whoever counts or walks them with a screen reader.
 */
export function Timeline({ steps }: { steps: readonly Step[] }) {
  return (
    <div role="group" aria-label={messages.album.progress} className={styles.timeline}>
      {steps.map((step) => (
        <span
          key={step.name}
          className={styles.step}
          data-mark={step.mark}
          data-name={step.name}
          aria-current={step.mark === 'now' || step.mark === 'stuck' ? 'step' : undefined}
        >
          <span aria-hidden className={styles.mark}>
            <Mark step={step} />
          </span>
          <span className={styles.words}>
            <span>{nameOf(step)}</span>
            {step.at !== undefined && (
              <time dateTime={new Date(step.at).toISOString()} title={format.when(step.at)}>
                {' '}
                {format.brief(step.at)}
              </time>
            )}
            <span className="visually-hidden"> {messages.album.marks[step.mark]}</span>
          </span>
        </span>
      ))}
    </div>
  )
}

function nameOf({ name, mark }: Step): string {
  const { steps } = messages.album
  if (name === 'paid' && mark !== 'done') return mark === 'now' ? steps.paying : steps.unpaid
  return name === 'cooking' && mark === 'done' ? steps.cooked : steps[name]
}

function Mark({ step: { name, mark } }: { step: Step }) {
  if (mark === 'stuck') return <TriangleAlert size={14} />
  if (mark === 'now' && name !== 'ready' && name !== 'refunded') return <Reel />
  return <span className={styles.dot} />
}
