import type { BusMessage, EventBus } from '../../src/events/port.ts'

export const TOPIC = 'prelude.songs'
export const PATIENCE = { timeout: 20_000, interval: 20 }

export interface BusUnderTest extends AsyncDisposable {
  readonly bus: EventBus
  /** Its address, for a member in another process. */
  readonly busUrl: string
  /** Where it takes more than another member that waits: makes the group forget the member that handles now. */
  expel?(): Promise<void>
}

export const numbers = (messages: readonly BusMessage[], key: string): number[] =>
  messages.filter((message) => message.key === key).map((message) => Number(message.value))

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

export const valuesOf = (key: string, values: readonly number[]) =>
  values.map((n) => ({ key, value: String(n) }))
