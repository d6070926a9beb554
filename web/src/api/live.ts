import type { Credits, Payment, Song } from '@prelude/contracts'
import { putCredits, putPayment, putSong, queries, refetchAll } from './queries.ts'

/**
 * One live stream a browser: the tab that holds the lock reads it and passes everything on to the others. When that tab
 * goes, another takes over. On `ready` (every connect) all tabs read everything again, so nothing is missed.
 */

const CHANNEL = 'prelude-live'
const LOCK = 'prelude-live'
const EVENTS = ['ready', 'song', 'credits', 'payment', 'operator-song', 'operator-transfer', 'down'] as const
type EventName = (typeof EVENTS)[number]

interface LiveMessage {
  readonly event: EventName
  readonly data: unknown
}

const connectionListeners = new Set<(up: boolean) => void>()

/** Told when the stream comes and goes, for a hint to the person. */
export const onConnection = (listener: (up: boolean) => void): (() => void) => {
  connectionListeners.add(listener)
  return () => connectionListeners.delete(listener)
}

function apply({ event, data }: LiveMessage): void {
  if (event === 'song') putSong(data as Song)
  else if (event === 'credits') putCredits(data as Credits)
  else if (event === 'payment') putPayment(data as Payment)
  else if (event === 'operator-song') void queries.invalidateQueries({ queryKey: ['operator', 'songs'] })
  else if (event === 'operator-transfer')
    void queries.invalidateQueries({ queryKey: ['operator', 'transfers'] })
  else if (event === 'ready') refetchAll()
  // the session may have ended: /api/me knows
  else void queries.invalidateQueries({ queryKey: ['me'] })
  if (event === 'ready' || event === 'down')
    for (const listener of connectionListeners) listener(event === 'ready')
}

/** Follows the signed-in person until the returned function is called. */
export function followLive(): () => void {
  const stopping = new AbortController()
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', (message: MessageEvent<LiveMessage>) => apply(message.data))
  const tell = (message: LiveMessage): void => {
    if (stopping.signal.aborted) return
    apply(message)
    channel.postMessage(message)
  }
  navigator.locks
    .request(LOCK, { signal: stopping.signal }, () => lead(tell, stopping.signal))
    .catch(() => {}) // stopped while waiting for the lock
  return () => {
    stopping.abort()
    channel.close()
  }
}

async function lead(tell: (message: LiveMessage) => void, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted;) {
    const connected = await read(tell, signal)
    if (signal.aborted) return
    attempt = connected ? 0 : attempt + 1
    tell({ event: 'down', data: null })
    const pauseMs = Math.min(400 * 2 ** attempt, 5_000) * (0.5 + Math.random())
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs)
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })
  }
}

/** One connection, until it breaks or the network changes; answers whether it was ever up. */
function read(tell: (message: LiveMessage) => void, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const source = new EventSource('/api/live')
    let up = false
    const end = (): void => {
      source.close()
      removeEventListener('online', end)
      resolve(up)
    }
    for (const event of EVENTS) {
      source.addEventListener(event, (message: MessageEvent<string>) => {
        up = true
        tell({ event, data: JSON.parse(message.data) })
      })
    }
    source.addEventListener('error', end)
    addEventListener('online', end)
    signal.addEventListener('abort', end, { once: true })
  })
}
