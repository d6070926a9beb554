import type {
  Credits,
  Draft,
  DraftRemoved,
  Notice,
  NoticesRead,
  Payment,
  Preferences,
  Song,
} from '@prelude/contracts'
import { compareBuild } from '../browser/build.ts'
import { reportError } from './client-errors.ts'
import { putCredits } from './credits.ts'
import { putDraft } from './drafts.ts'
import { meQuery } from './me.ts'
import { putNotice, putNoticesRead } from './notices.ts'
import { putDebt, putOperatorSong, putTransfer } from './operator.ts'
import { putPayment } from './payments.ts'
import { putPreferences } from './preferences.ts'
import { invalidate, refetchAll } from './query-client.ts'
import type { Transfer } from './routes.ts'
import { putSong } from './songs.ts'

/**
 * Server-sent events, with one stream per browser: the tab that holds the Web Lock is the leader, reads the stream and
 * broadcasts every event to the other tabs. When the leader closes, another tab gets the lock. On `ready` (every connect)
 * all tabs refetch everything, so no event is missed.
 */

const CHANNEL = 'prelude-live'
const LOCK = 'prelude-live'
const EVENTS = [
  'ready',
  'song',
  'credits',
  'payment',
  'notice',
  'notices-read',
  'preferences',
  'operator-song',
  'operator-transfer',
  'operator-debt',
  'operator-draft',
  'down',
] as const
type EventName = (typeof EVENTS)[number]
/** The server sends at least a comment every 20 s; a connection without any bytes for three of them is dead. */
const SILENCE_TIMEOUT_MS = 60_000
/** A stream that ends sooner, again and again, is opened ever more slowly. */
const STABLE_MS = 60_000

/** A follower that receives nothing for this long takes the lock of a leader that is frozen or suspended. */
const LEADER_TIMEOUT_MS = 60_000
const LATE_TIMER_MS = 5_000

interface LiveMessage {
  /** Whose stream it is: tabs of another person ignore it. */
  readonly uid: string
  readonly event: EventName | 'heartbeat'
  readonly data: unknown
}

type Broadcast = (event: LiveMessage['event'], data: unknown) => void

const connectionListeners = new Set<(isConnected: boolean) => void>()

/** Called when the stream connects or disconnects. Returns a function that unsubscribes. */
export const onConnectionChange = (listener: (isConnected: boolean) => void): (() => void) => {
  connectionListeners.add(listener)
  return () => connectionListeners.delete(listener)
}

/** An event that this build cannot apply must not end the stream: every reconnect would bring it, or the next one, again. */
function apply(message: LiveMessage): void {
  try {
    applyMessage(message)
  } catch (error) {
    reportError(error)
  }
}

function applyMessage({ uid, event, data }: LiveMessage): void {
  if (event === 'heartbeat') return
  if (event === 'song') putSong(data as Song)
  else if (event === 'credits') putCredits(data as Credits)
  else if (event === 'payment') putPayment(data as Payment)
  else if (event === 'notice') putNotice(data as Notice)
  else if (event === 'notices-read') putNoticesRead(data as NoticesRead)
  else if (event === 'preferences') putPreferences(uid, data as Preferences)
  else if (event === 'operator-song') putOperatorSong(data as Song)
  else if (event === 'operator-transfer') putTransfer(data as Transfer)
  else if (event === 'operator-debt') putDebt(data as Parameters<typeof putDebt>[0])
  else if (event === 'operator-draft') putDraft(data as Draft | DraftRemoved)
  else if (event === 'ready') {
    compareBuild((data as { readonly build?: string }).build)
    refetchAll()
  }
  // disconnected: the session may have ended
  else invalidate(meQuery)
  if (event === 'ready' || event === 'down')
    for (const listener of connectionListeners) listener(event === 'ready')
}

/** Whether a tab reads the stream. */
const isLed = async (): Promise<boolean> =>
  (await navigator.locks.query()).held?.some(({ name }) => name === LOCK) ?? false

/** Subscribes the signed-in person to live updates until the returned function is called. */
export function startLiveUpdates(uid: string): () => void {
  const stopping = new AbortController()
  const channel = new BroadcastChannel(CHANNEL)
  let isLeader = false
  let watchdog: ReturnType<typeof setTimeout> | undefined
  let current = new AbortController()
  const resetWatchdog = (): void => {
    clearTimeout(watchdog)
    if (isLeader || stopping.signal.aborted) return
    const dueAt = Date.now() + LEADER_TIMEOUT_MS
    watchdog = setTimeout(() => {
      // a timer that is late says that this tab was suspended, not that the leader is
      if (Date.now() - dueAt > LATE_TIMER_MS) resetWatchdog()
      else requestLock({ steal: true })
    }, LEADER_TIMEOUT_MS)
  }
  const requestLock = (options: { steal: boolean }): void => {
    current.abort()
    const own = (current = new AbortController())
    const { signal } = own
    const broadcast: Broadcast = (event, data) => {
      if (signal.aborted) return
      const message: LiveMessage = { uid, event, data }
      apply(message)
      channel.postMessage(message)
    }
    navigator.locks
      .request(LOCK, options.steal ? { steal: true } : { signal }, () => {
        isLeader = true
        clearTimeout(watchdog)
        return runAsLeader(broadcast, signal)
      })
      .catch(() => {
        // aborted while it waited, or stolen by a tab that received nothing from this one
        if (own === current && !stopping.signal.aborted) follow()
      })
  }
  const follow = (): void => {
    isLeader = false
    resetWatchdog()
    requestLock({ steal: false })
  }
  channel.addEventListener('message', ({ data }: MessageEvent<LiveMessage>) => {
    if (data.uid !== uid) return
    resetWatchdog()
    apply(data)
  })
  void isLed().then((isFollower) => {
    // an event may have come after the page was read and before this tab subscribed
    if (isFollower && !stopping.signal.aborted) refetchAll()
  })
  follow()
  return () => {
    stopping.abort()
    current.abort()
    clearTimeout(watchdog)
    channel.close()
  }
}

async function runAsLeader(broadcast: Broadcast, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted;) {
    const connectedMs = await readStream(broadcast, signal)
    if (signal.aborted) return
    attempt = connectedMs >= STABLE_MS ? 0 : attempt + 1
    broadcast('down', null)
    const delayMs = Math.min(400 * 2 ** attempt, 5_000) * (0.5 + Math.random())
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs)
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })
  }
}

/** Reads one connection until it fails, is silent for too long, or the network changes. Resolves to the time since its first event. */
async function readStream(broadcast: Broadcast, signal: AbortSignal): Promise<number> {
  const connection = new AbortController()
  const disconnect = (): void => connection.abort()
  let watchdog: ReturnType<typeof setTimeout> | undefined
  const resetWatchdog = (): void => {
    clearTimeout(watchdog)
    watchdog = setTimeout(disconnect, SILENCE_TIMEOUT_MS)
  }
  for (const change of ['online', 'offline'])
    addEventListener(change, disconnect, { signal: connection.signal })
  signal.addEventListener('abort', disconnect, { signal: connection.signal })
  let connectedAt: number | undefined
  try {
    resetWatchdog()
    const response = await fetch('/api/live', { signal: connection.signal, cache: 'no-store' })
    if (!response.ok || !response.body) return 0
    const onBytes = (): void => {
      resetWatchdog()
      broadcast('heartbeat', null)
    }
    await readEvents(response.body, onBytes, (event, data) => {
      connectedAt ??= Date.now()
      broadcast(event, data)
    })
  } catch {
    // the connection failed or was aborted: the caller reconnects
  } finally {
    clearTimeout(watchdog)
    disconnect()
  }
  return connectedAt === undefined ? 0 : Date.now() - connectedAt
}

/** Parses the server-sent events of one response. Not an EventSource: it hides the comments that serve as heartbeat. */
async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBytes: () => void,
  onMessage: Broadcast,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let buffer = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    // a proxy may have changed the ends of lines
    const blocks = `${buffer}${value}`.replaceAll('\r\n', '\n').split('\n\n')
    buffer = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? []
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (!isEventName(event) || data === undefined) continue
      try {
        onMessage(event, JSON.parse(data))
      } catch (error) {
        reportError(error) // no JSON
      }
    }
  }
}

const isEventName = (name: string | undefined): name is EventName =>
  (EVENTS as readonly (string | undefined)[]).includes(name)
