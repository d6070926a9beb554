import type { EventDefinition, EventEnvelope, Topic } from '@prelude/contracts'
import { newId } from '../ids.ts'
import type { Rows } from '../database/port.ts'
import { textArray } from './text-array.ts'

/** What a transaction has emitted and not written yet. */
export interface Pending {
  readonly event: EventDefinition
  readonly correlationId: string
  readonly traceparent: string | undefined
  readonly data: { readonly uid: string }
}

/** An event of the outbox, as it goes to the bus. */
export interface OutboxEvent {
  readonly id: number
  readonly topic: Topic
  readonly key: string
  readonly seq: number
  readonly type: string
  /** Its envelope, as JSON. */
  readonly text: string
}

export interface Emitted extends OutboxEvent {
  readonly data: Readonly<Record<string, unknown>>
}

type Ask = <R>(sql: string, params: readonly unknown[]) => Promise<Rows<R>>

/** Writes events at the end of their transaction, numbered by key. Answers them in the order of their ids; they count once it commits. */
export async function writeEvents(pending: readonly Pending[], ask: Ask): Promise<readonly Emitted[]> {
  const at = Date.now()
  const ofKeys = [...Map.groupBy(pending, ({ data }) => data.uid)].sort(([a], [b]) => (a < b ? -1 : 1))
  const drafts = ofKeys.flatMap(([key, events], place) =>
    events.map(({ event, data, correlationId, traceparent }, nth) => ({
      place,
      nth,
      id: newId(),
      topic: event.topic,
      type: event.type,
      version: event.version,
      key,
      at,
      correlationId,
      traceparent,
      data,
      json: JSON.stringify(data),
    })),
  )
  const { rows } = await ask<{ ids: readonly string[]; lasts: readonly string[] }>(
    'select ids, lasts from outbox_write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
    [
      textArray(ofKeys.map(([key]) => key)),
      ofKeys.map(([, events]) => events.length),
      drafts.map(({ place }) => place + 1),
      drafts.map(({ nth }) => nth + 1),
      drafts.map(({ id }) => id),
      textArray(drafts.map(({ topic }) => topic)),
      textArray(drafts.map(({ type }) => type)),
      drafts.map(({ version }) => version),
      at,
      textArray(drafts.map(({ correlationId }) => correlationId)),
      textArray(drafts.map(({ traceparent }) => traceparent ?? null)),
      textArray(drafts.map(({ json }) => json)),
    ],
  )
  const { ids = [], lasts = [] } = rows[0] ?? {}
  return drafts.map((draft, i) => {
    const { place, nth, topic, key, type, data, json } = draft
    const seq = Number(lasts[place]) - (ofKeys[place]?.[1].length ?? 0) + nth + 1
    return { id: Number(ids[i]), topic, key, seq, type, data, text: envelopeText({ ...draft, seq }, json) }
  })
}

type Head = Omit<EventEnvelope, 'data' | 'traceparent'> & { readonly traceparent?: string | null | undefined }

/** An event's envelope as text; its data goes on as the JSON that it is. */
export function envelopeText(event: Head, data: string): string {
  const { id, type, version, topic, key, seq, at, correlationId, traceparent } = event
  const head: Omit<EventEnvelope, 'data'> = {
    id,
    type,
    version,
    topic,
    key,
    seq,
    at,
    correlationId,
    ...(typeof traceparent === 'string' && { traceparent }),
  }
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`
}
