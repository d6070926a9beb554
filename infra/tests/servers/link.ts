import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** TCP proxy on this machine in front of one or several ports: the network that fails or is slow, and a load balancer. */
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
const LINGER_MS = 2_000

/** Starts a TCP proxy, round robin over those of `targets`, which may change, that accept a connection. */
export async function startLink(targets: readonly number[]): Promise<Link> {
  const state: State = { swallows: false, delayMs: 0, sockets: new Set() }
  let turn = 0
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inner) => {
    track(state, inner)
    void reachOne(targets, turn++)
      .then((outer) => {
        if (!outer) return inner.destroy()
        track(state, outer)
        pass(state, inner, outer)
        pass(state, outer, inner)
        return undefined
      })
      .catch(() => inner.destroy())
  })
  await listen(server, 0)
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
    close: stopListening,
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

async function reachOne(targets: readonly number[], turn: number): Promise<Socket | null> {
  for (const offset of targets.keys()) {
    const socket = await reach(targets[(turn + offset) % targets.length]!)
    if (socket) return socket
  }
  return null
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
