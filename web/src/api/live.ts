import type { Credits, Payment, Song } from '@prelude/contracts'
import { putCredits, putPayment, putSong, readAgain, refetchAll } from './queries.ts'

/**
 * One live stream a browser: the tab that holds the lock reads it and passes everything on to the others. When that tab
 * goes, another takes over. On `ready` (every connect) all tabs read everything again, so nothing is missed.
 */

const CHANNEL = 'prelude-live'
const LOCK = 'prelude-live'
const EVENTS = [
  'ready',
  'song',
  'credits',
  'payment',
  'operator-song',
  'operator-transfer',
  'operator-debt',
  'down',
] as const
type EventName = (typeof EVENTS)[number]
/** The server writes at least a comment every 25 s: a line that is silent for longer than two of them is dead. */
const SILENCE_MS = 60_000

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
  else if (event === 'operator-song') readAgain({ queryKey: ['operator', 'songs'] })
  else if (event === 'operator-transfer') readAgain({ queryKey: ['operator', 'transfers'] })
  else if (event === 'operator-debt')
    for (const list of ['debts', 'people']) readAgain({ queryKey: ['operator', list] })
  else if (event === 'ready') refetchAll()
  // the session may have ended: /api/me knows
  else readAgain({ queryKey: ['me'] })
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

/** One connection, until it breaks, falls silent or the network changes; answers whether it was ever up. */
async function read(tell: (message: LiveMessage) => void, signal: AbortSignal): Promise<boolean> {
  const connection = new AbortController()
  const end = (): void => connection.abort()
  let watchdog: ReturnType<typeof setTimeout> | undefined
  const alive = (): void => {
    clearTimeout(watchdog)
    watchdog = setTimeout(end, SILENCE_MS)
  }
  for (const change of ['online', 'offline']) addEventListener(change, end, { signal: connection.signal })
  signal.addEventListener('abort', end, { signal: connection.signal })
  let up = false
  try {
    alive()
    const response = await fetch('/api/live', { signal: connection.signal, cache: 'no-store' })
    if (!response.ok || !response.body) return false
    await readEvents(response.body, alive, (message) => {
      up = true
      tell(message)
    })
  } catch {
    // broken off, or ended here: the caller connects again
  } finally {
    clearTimeout(watchdog)
    end()
  }
  return up
}

/** Server-sent events of one answer, to its end. Not an EventSource: that hides the comments that show a line is alive. */
async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBytes: () => void,
  tell: (message: LiveMessage) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    const blocks = `${rest}${value}`.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? []
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (isEventName(event) && data !== undefined) tell({ event, data: JSON.parse(data) })
    }
  }
}

const isEventName = (name: string | undefined): name is EventName =>
  (EVENTS as readonly (string | undefined)[]).includes(name)
