import type { OutboxEvent } from './append.ts'

/** Texts of so many characters are kept; what a crowd has emitted before the first of it is sent goes in. */
const MOST_CHARACTERS = 8_000_000

/** Events that this process has written lately, by their ids, so that nobody has to read them. */
export interface WrittenEvents {
  /** The oldest go when there is too much. */
  add(events: readonly OutboxEvent[]): void
  /** It is asked for once. */
  take(id: number): OutboxEvent | undefined
  clear(): void
}

export function writtenEvents(): WrittenEvents {
  const kept = new Map<number, OutboxEvent>()
  let characters = 0
  const take = (id: number): OutboxEvent | undefined => {
    const event = kept.get(id)
    if (event === undefined) return undefined
    kept.delete(id)
    characters -= event.text.length
    return event
  }
  return {
    take,
    add: (events) => {
      for (const event of events) {
        kept.set(event.id, event)
        characters += event.text.length
      }
      for (const id of kept.keys()) {
        if (characters <= MOST_CHARACTERS) return
        take(id)
      }
    },
    clear: () => {
      kept.clear()
      characters = 0
    },
  }
}
