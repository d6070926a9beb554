import type { Topic } from '@prelude/contracts'
import type { Subscription } from './port.ts'

interface TopicSubscription extends Omit<Subscription, 'lag'> {
  lag(): Promise<number>
}

/** One subscription for several topics. Topics have no order between them, so one that waits holds up no other. */
export function eachTopic(
  topics: readonly Topic[],
  subscribe: (topic: Topic) => TopicSubscription,
): Subscription {
  const all = new Map(topics.map((topic) => [topic, subscribe(topic)]))
  return {
    lag: async (only) => {
      const some = [...all].filter(([topic]) => only === undefined || only === topic)
      const lags = await Promise.all(some.map(([, one]) => one.lag()))
      return lags.reduce((sum, lag) => sum + lag, 0)
    },
    sinceAttemptMs: () => Math.max(...[...all.values()].map((one) => one.sinceAttemptMs())),
    stop: async () => {
      await Promise.all([...all.values()].map((one) => one.stop()))
    },
  }
}
