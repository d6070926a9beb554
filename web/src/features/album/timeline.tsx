import { TriangleAlert } from 'lucide-react'
import { format, messages } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import type { Step } from './steps.ts'
import styles from './timeline.module.css'

/**
 * The steps of a request. A group, not a list: the album's only list items are its requests, so that screen readers count
 * and navigate them alone.
 */
export function Timeline({ steps }: { steps: readonly Step[] }) {
  return (
    <div role="group" aria-label={messages.album.progress} className={styles.timeline}>
      {steps.map((step) => (
        <span
          key={step.name}
          className={styles.step}
          data-state={step.state}
          data-name={step.name}
          aria-current={step.state === 'current' || step.state === 'blocked' ? 'step' : undefined}
        >
          <span aria-hidden className={styles.icon}>
            <StepIcon step={step} />
          </span>
          <span className={styles.text}>
            <span>{nameOf(step)}</span>
            {step.at !== undefined && (
              <time dateTime={new Date(step.at).toISOString()} title={format.when(step.at)}>
                {' '}
                {format.brief(step.at)}
              </time>
            )}
            <span className="visually-hidden"> {messages.album.stepStates[step.state]}</span>
          </span>
        </span>
      ))}
    </div>
  )
}

function nameOf({ name, state }: Step): string {
  const { steps } = messages.album
  if (name === 'paid' && state !== 'done') return state === 'current' ? steps.paying : steps.unpaid
  return name === 'cooking' && state === 'done' ? steps.cooked : steps[name]
}

const ENDS: ReadonlySet<Step['name']> = new Set(['ready', 'refunded', 'cancelled', 'declined'])

function StepIcon({ step: { name, state } }: { step: Step }) {
  if (state === 'blocked') return <TriangleAlert size={14} />
  if (state === 'current' && !ENDS.has(name)) return <Reel />
  return <span className={styles.dot} />
}
