import type { EventEnvelope } from '@prelude/contracts'

/**
 * Splits a batch into runs of one type and version each, so that handlers get many events at once: events of one key stay in order,
 * events of different keys may be reordered. Keys are sorted, so that two transactions lock their rows alike.
 */
export function* runsOf(events: readonly EventEnvelope[]): Generator<readonly EventEnvelope[]> {
  let rest = events.toSorted((one, other) =>
    one.key < other.key ? -1 : one.key > other.key ? 1 : one.position - other.position,
  )
  for (let first = rest[0]; first; first = rest[0]) {
    const { type, version } = first
    const held = new Set<string>()
    const run: EventEnvelope[] = []
    const later: EventEnvelope[] = []
    for (const event of rest) {
      if (event.type === type && event.version === version && !held.has(event.key)) run.push(event)
      else {
        held.add(event.key)
        later.push(event)
      }
    }
    yield run
    rest = later
  }
}
