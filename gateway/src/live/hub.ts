import type { KeyValue, Logger } from '@prelude/platform'
import { type Hint, readHint } from './hints.ts'

type Listener = (hint: Hint) => void

/** The channels that this instance listens to: one subscription each, however many streams want it. */
export interface Hub {
  /** Resolves when hints arrive; the answer ends it. */
  listen(channel: string, listener: Listener): Promise<() => void>
}

interface Channel {
  readonly listeners: Set<Listener>
  readonly opened: Promise<() => Promise<void>>
}

export function createHub(kv: KeyValue, logger: Logger): Hub {
  const channels = new Map<string, Channel>()

  const open = (name: string): Channel => {
    const listeners = new Set<Listener>()
    const receive = (message: string): void => {
      const hint = readHint(message)
      for (const listener of listeners) listener(hint)
    }
    const channel = { listeners, opened: kv.subscribe(name, receive) }
    channels.set(name, channel)
    return channel
  }
  const leave = (name: string, channel: Channel, listener: Listener): void => {
    channel.listeners.delete(listener)
    if (channel.listeners.size > 0) return
    if (channels.get(name) === channel) channels.delete(name)
    channel.opened
      .then((close) => close())
      .catch((error: unknown) => logger.warn({ err: error }, 'a live channel was not closed'))
  }
  return {
    listen: async (name, listener) => {
      const channel = channels.get(name) ?? open(name)
      channel.listeners.add(listener)
      try {
        await channel.opened
      } catch (error) {
        channel.listeners.delete(listener)
        if (channels.get(name) === channel) channels.delete(name)
        throw error
      }
      return () => leave(name, channel, listener)
    },
  }
}
