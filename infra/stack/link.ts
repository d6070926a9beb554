import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface Target {
  readonly port: number
  /** URL of a health check: 200 while the target takes connections. */
  readonly health?: string
}

/** TCP proxy on this machine in front of one or several ports: load balancer and fault injector. */
export interface Link {
  readonly port: number
  /** As a host without a listener: open connections are reset, new ones refused. */
  cut(): Promise<void>
  /** As a network that drops all packets: connections stay, nothing arrives until `heal`. */
  swallow(): void
  /** Latency added to every chunk, in both directions. */
  slow(ms: number): void
  heal(): Promise<void>
  close(): Promise<void>
}

interface State {
  swallows: boolean
  delayMs: number
  readonly sockets: Set<Socket>
}

const CONNECT_WITHIN_MS = 1_000
const CHECK_EVERY_MS = 1_000
const LINGER_MS = 2_000
const TRY_AGAIN_MS = 50

/**
 * Starts a TCP proxy that balances over its targets round robin, without those that refuse or are unhealthy. It is the load
 * balancer of the native stack; in drills it is also the network that fails. Where all targets refuse, it tries them for
 * `waitMs`, as a caller would that was refused itself; then it closes the connection.
 */
export async function startLink(targets: readonly Target[], port = 0, waitMs = 0): Promise<Link> {
  const state: State = { swallows: false, delayMs: 0, sockets: new Set() }
  const choose = chooser(targets)
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inner) => {
    track(state, inner)
    void choose
      .connect(waitMs)
      .then((outer) => {
        if (!outer) return inner.destroy()
        track(state, outer)
        pass(state, inner, outer)
        pass(state, outer, inner)
        return undefined
      })
      .catch(() => inner.destroy())
  })
  await listen(server, port)
  const own = portOf(server)
  const drop = (): void => {
    for (const socket of state.sockets) socket.resetAndDestroy()
  }
  const resume = (): void => {
    if (!state.swallows) for (const socket of state.sockets) socket.resume()
  }
  const stopListening = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    drop()
    await closed
  }
  return {
    port: own,
    cut: stopListening,
    swallow: () => {
      state.swallows = true
      for (const socket of state.sockets) socket.pause()
    },
    slow: (ms) => {
      state.delayMs = ms
    },
    heal: async () => {
      state.swallows = false
      state.delayMs = 0
      resume()
      if (!server.listening) await listen(server, own)
    },
    close: async () => {
      choose.stop()
      await stopListening()
    },
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('not listening')
  return address.port
}

function track({ sockets }: State, socket: Socket): void {
  sockets.add(socket)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
}

/** Copies one direction. Chunks keep their order, however late. */
function pass(state: State, from: Socket, to: Socket): void {
  let before = Promise.resolve()
  const inTurn = (work: () => void): void => {
    const due = Date.now() + state.delayMs
    before = before.then(async () => {
      if (due > Date.now()) await delay(due - Date.now())
      work()
    })
  }
  from.on('data', (chunk: Buffer) =>
    inTurn(() => {
      if (to.destroyed || to.write(chunk)) return
      from.pause()
      to.once('drain', () => {
        if (!state.swallows) from.resume()
      })
    }),
  )
  from.on('end', () => inTurn(() => to.end()))
  // bytes already written must still arrive, though the other side may send more: closing at once would reset the connection
  from.on('close', () =>
    inTurn(() => {
      to.end()
      setTimeout(() => to.destroy(), LINGER_MS).unref()
    }),
  )
  if (state.swallows) from.pause()
  else from.resume()
}

/** Round robin over the healthy targets; over all of them when none is healthy. */
function chooser(targets: readonly Target[]): {
  connect(waitMs: number): Promise<Socket | null>
  stop(): void
} {
  const unhealthy = new Set<Target>()
  let next = 0
  const check = async (): Promise<void> => {
    for (const target of targets) {
      if (target.health === undefined) continue
      const healthy = await answers(target.health)
      if (healthy) unhealthy.delete(target)
      else unhealthy.add(target)
    }
  }
  const timer = targets.length > 1 ? setInterval(() => void check(), CHECK_EVERY_MS).unref() : undefined
  const reachOne = async (): Promise<Socket | null> => {
    const start = next++
    const rotated = targets.map((_, i) => targets[(start + i) % targets.length]!)
    const order = [...rotated.filter((t) => !unhealthy.has(t)), ...rotated.filter((t) => unhealthy.has(t))]
    for (const { port } of order) {
      const socket = await reach(port)
      if (socket) return socket
    }
    return null
  }
  return {
    connect: async (waitMs) => {
      for (const until = performance.now() + waitMs; ;) {
        const socket = await reachOne()
        if (socket || performance.now() >= until) return socket
        await delay(TRY_AGAIN_MS)
      }
    },
    stop: () => clearInterval(timer),
  }
}

async function reach(port: number): Promise<Socket | null> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_WITHIN_MS) })
    return socket.pause()
  } catch {
    socket.destroy()
    return null
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(CHECK_EVERY_MS) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}
