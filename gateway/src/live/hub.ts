import type { KeyValue, Logger } from '@prelude/platform'
import { type Hint, readHint } from './hints.ts'

type Listener = (hint: Hint) => void

/** The channels that this instance listens to: one subscription each, however many streams want it. */
export interface Hub {
  /** Resolves when hints arrive; the answer ends it. */
  listen(channel: string, listener: Listener): Promise<() => void>
}

interface Room {
  readonly listeners: Set<Listener>
  readonly opened: Promise<() => Promise<void>>
}

export function createHub(kv: KeyValue, logger: Logger): Hub {
  const rooms = new Map<string, Room>()

  const open = (channel: string): Room => {
    const listeners = new Set<Listener>()
    const receive = (message: string): void => {
      const hint = readHint(message)
      for (const listener of listeners) listener(hint)
    }
    const room = { listeners, opened: kv.subscribe(channel, receive) }
    rooms.set(channel, room)
    return room
  }
  const leave = (channel: string, room: Room, listener: Listener): void => {
    room.listeners.delete(listener)
    if (room.listeners.size > 0) return
    if (rooms.get(channel) === room) rooms.delete(channel)
    room.opened
      .then((close) => close())
      .catch((error: unknown) => logger.warn({ err: error }, 'a live channel was not closed'))
  }
  return {
    listen: async (channel, listener) => {
      const room = rooms.get(channel) ?? open(channel)
      room.listeners.add(listener)
      try {
        await room.opened
      } catch (error) {
        room.listeners.delete(listener)
        if (rooms.get(channel) === room) rooms.delete(channel)
        throw error
      }
      return () => leave(channel, room, listener)
    },
  }
}
