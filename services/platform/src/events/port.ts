import type { Topic } from '@prelude/contracts'

export interface BusMessage {
  readonly topic: Topic
  readonly key: string
  readonly value: string
}

export interface Subscription {
  /** Messages not yet handled by the group, of one topic or over all of its topics. */
  lag(topic?: Topic): Promise<number>
  /** When the consumer last tried to read or to handle, with success or not (ms since the epoch). */
  lastAttemptAt(): number
  /** Ends after the batch in hand. */
  stop(): Promise<void>
}

export interface EventBus {
  /** Creates what is missing; an explicit step, never a side effect of publishing. */
  createTopics(topics: readonly Topic[]): Promise<void>
  /** All or an error; resolves when the messages are durable. Order within a key is the order of calls and of the array. */
  publish(topic: Topic, messages: readonly Omit<BusMessage, 'topic'>[]): Promise<void>
  /**
   * Delivers at least once, per key in order, to one member of the group at a time. `handle` gets a batch of one topic
   * and must resolve when all of it is done; only then is it acknowledged. If it rejects, the batch comes again.
   * It calls `trying` whenever it begins anew, so that one that waits for a dependency is not taken for one that hangs.
   * A new group starts at the beginning.
   */
  subscribe(options: {
    group: string
    topics: readonly Topic[]
    handle: (batch: readonly BusMessage[], trying: () => void) => Promise<void>
  }): Promise<Subscription>
  /** How many messages these topics keep, whoever has read them; 0 of a topic that is not there. */
  held(topics: readonly Topic[]): Promise<number>
  ping(): Promise<void>
  close(): Promise<void>
}
