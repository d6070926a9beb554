import type { EventDefinition, EventEnvelope, Topic } from '@prelude/contracts'
import { Compile } from 'typebox/compile'
import type { Unreadable } from './port.ts'

/** What a message says; unreadable when it is no event of ours. */
export function readEnvelope(topic: Topic, key: string, value: string): EventEnvelope | Unreadable {
  try {
    const event = JSON.parse(value) as EventEnvelope
    const isWhole =
      typeof event.id === 'string' &&
      typeof event.type === 'string' &&
      event.key === key &&
      Number.isSafeInteger(event.position) &&
      typeof event.data === 'object'
    return isWhole ? { ...event, topic } : { key, value, problem: 'not an event' }
  } catch {
    return { key, value, problem: 'not an event' }
  }
}

/** Errors: the data of the event does not match the contract. */
export function assertReadable(event: EventDefinition, envelope: EventEnvelope): void {
  if (!contractOf(event)(envelope.data)) throw new Error(`${envelope.type} does not match its contract`)
}

const contracts = new WeakMap<EventDefinition, (data: unknown) => boolean>()

/** Compiled at first use: interpreting the schema for each event costs more than all else here. */
function contractOf(event: EventDefinition): (data: unknown) => boolean {
  const known = contracts.get(event)
  if (known) return known
  const compiled = Compile(event.data)
  const contract = (data: unknown): boolean => compiled.Check(data)
  contracts.set(event, contract)
  return contract
}
