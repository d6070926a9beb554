import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../observability/index.ts'
import { connect } from './connection.ts'
import type { PostgresDatabase } from './database.ts'
import { signal } from '../wait.ts'

const MIN_INTERVAL_MS = 20

/**
 * Sends NOTIFY outside any transaction and at most once in 20 ms (inside one it would serialise all commits). Equal
 * messages of one interval are sent once. Best effort: listeners also poll.
 */
export function coalescedNotify(
  db: Pick<PostgresDatabase, 'query'>,
  channel: string,
  logger: Logger,
): ((message: string) => void) & { stop(): Promise<void> } {
  const pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let lastAt = 0
  let sending: Promise<void> = Promise.resolve()
  const send = (): void => {
    timer = undefined
    lastAt = performance.now()
    const messages = [...pending]
    pending.clear()
    sending = db
      .query('select pg_notify($1, message) from unnest($2::text[]) as message', [channel, messages])
      .then(() => {})
      .catch((error: Error) => logger.debug({ channel, err: error.message }, 'a notification was not sent'))
  }
  const notify = (message: string): void => {
    pending.add(message)
    timer ??= setTimeout(send, Math.max(0, lastAt + MIN_INTERVAL_MS - performance.now()))
  }
  return Object.assign(notify, {
    stop: async () => {
      if (timer) {
        clearTimeout(timer)
        send()
      }
      await sending
    },
  })
}

/** LISTEN on a dedicated connection with automatic reconnect. `onConnect` runs after every (re)connect. */
export function listen(options: {
  url: string
  schema: string
  channel: string
  logger: Logger
  onMessage: (message: string) => void
  onConnect?: () => void
}): { ready: Promise<void>; connected(): boolean; stop(): Promise<void> } {
  const waiting = signal()
  let stopped = false
  let connected = false
  let markReady: () => void
  const ready = new Promise<void>((resolve) => {
    markReady = resolve
  })

  const listenOnce = async (): Promise<void> => {
    // the time-out of the next probe shows a network that drops packets
    const connection = await connect(options.url, options.schema)
    connection.on('error', () => waiting.wake())
    connection.on('end', () => waiting.wake())
    connection.on('notification', ({ payload }) => options.onMessage(payload ?? ''))
    try {
      await connection.query(`listen ${options.channel}`)
      connected = true
      markReady()
      options.onConnect?.()
      while (!stopped) {
        await waiting.for(15_000)
        if (!stopped) await connection.query('select 1')
      }
    } finally {
      connected = false
      await connection.end().catch(() => {})
    }
  }

  const running = (async () => {
    while (!stopped) {
      await listenOnce().catch((error: Error) => {
        if (!stopped)
          options.logger.debug({ channel: options.channel, err: error.message }, 'listening again soon')
      })
      if (!stopped) await delay(500)
    }
  })()

  return {
    ready,
    connected: () => connected,
    stop: async () => {
      stopped = true
      waiting.wake()
      await running
    },
  }
}
