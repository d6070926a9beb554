import type { EventDefinition, EventEnvelope } from '@prelude/contracts'
import { Compile } from 'typebox/compile'
import type { BusMessage } from './port.ts'

const read = new WeakMap<BusMessage, EventEnvelope | null>()

/** What a message of the bus says, or null when it is no event at all. Read once for all who get the same message. */
export function readEnvelope(message: BusMessage): EventEnvelope | null {
  const known = read.get(message)
  if (known !== undefined) return known
  const envelope = parse(message)
  read.set(message, envelope)
  return envelope
}

function parse(message: BusMessage): EventEnvelope | null {
  try {
    const value = JSON.parse(message.value) as { -readonly [K in keyof EventEnvelope]: EventEnvelope[K] }
    const whole =
      typeof value.id === 'string' &&
      typeof value.type === 'string' &&
      value.key === message.key &&
      Number.isSafeInteger(value.seq) &&
      typeof value.data === 'object'
    if (!whole) return null
    value.topic = message.topic
    return value
  } catch {
    return null
  }
}

/** Throws when this part does not know the event's version, or its data is not what the contract says. */
export function assertReadable(event: EventDefinition, envelope: EventEnvelope): void {
  if (envelope.version !== event.version)
    throw new Error(`${envelope.type} has version ${envelope.version}, known is ${event.version}`)
  if (!contractOf(event)(envelope.data)) throw new Error(`${envelope.type} does not match its contract`)
}

const contracts = new WeakMap<EventDefinition, (data: unknown) => boolean>()

/** Compiled when it is first asked for: reading the schema anew for each event costs more than all else here. */
function contractOf(event: EventDefinition): (data: unknown) => boolean {
  const known = contracts.get(event)
  if (known) return known
  const compiled = Compile(event.data)
  const contract = (data: unknown): boolean => compiled.Check(data)
  contracts.set(event, contract)
  return contract
}
