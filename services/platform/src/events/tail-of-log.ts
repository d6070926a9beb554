import type { Topic } from '@prelude/contracts'
import type { BusMessage } from './port.ts'

/** Of each topic, in characters: what a slower reader wants beyond it, it reads from the log. */
const MOST_CHARACTERS = 2_000_000

/** Messages of a topic that follow each other, the last of them at this position. */
export interface Stretch {
  readonly last: number
  readonly messages: readonly BusMessage[]
}

/** The last messages of each topic that this process has published, by their positions in the log, without a hole. */
export interface TailOfLog {
  /** What is in the log for good. */
  add(topic: Topic, stretch: Stretch): void
  /** At most so many messages from the position after this one on; undefined when they are not here. */
  after(topic: Topic, position: number, most: number): Stretch | undefined
  /** The highest position that was added; 0: none. */
  last(topic: Topic): number
}

interface Batch extends Stretch {
  readonly characters: number
}

export function tailOfLog(): TailOfLog {
  const topics = new Map<Topic, Batch[]>()
  const lastOf = (topic: Topic): number => topics.get(topic)?.at(-1)?.last ?? 0
  return {
    last: lastOf,
    add: (topic, { last, messages }) => {
      if (messages.length === 0 || last <= lastOf(topic)) return
      // others have published in between: what is before the hole is of no use
      const follows = last - messages.length === lastOf(topic)
      const batches = follows ? (topics.get(topic) ?? []) : []
      const characters = messages.reduce((sum, { value }) => sum + value.length, 0)
      batches.push({ last, messages, characters })
      let kept = batches.reduce((sum, batch) => sum + batch.characters, 0)
      while (kept > MOST_CHARACTERS && batches.length > 1) kept -= batches.shift()?.characters ?? 0
      topics.set(topic, batches)
    },
    after: (topic, position, most) => {
      const batches = topics.get(topic) ?? []
      const from = batches.findIndex(({ last }) => last > position)
      const first = batches[from]
      const skipped = first ? position - (first.last - first.messages.length) : -1
      if (!first || skipped < 0) return undefined
      const messages = first.messages.slice(skipped)
      for (const batch of batches.slice(from + 1)) {
        if (messages.length >= most) break
        messages.push(...batch.messages)
      }
      messages.splice(most)
      return { last: position + messages.length, messages }
    },
  }
}
