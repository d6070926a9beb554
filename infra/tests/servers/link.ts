import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** TCP proxy on this machine in front of one or several ports: a network that fails, and a load balancer. */
export interface Link {
  readonly port: number
  /** As a network that drops all packets: connections stay, nothing arrives until `heal`. */
  swallow(): void
  heal(): void
  close(): Promise<void>
}

interface State {
  swallows: boolean
  readonly sockets: Set<Socket>
}

const CONNECT_WITHIN_MS = 1_000
const LINGER_MS = 2_000

/** Starts a TCP proxy, round robin over those of `targets`, which may change, that accept a connection. */
export async function startLink(targets: readonly number[]): Promise<Link> {
  const state: State = { swallows: false, sockets: new Set() }
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    swallow: () => {
      state.swallows = true
      for (const socket of state.sockets) socket.pause()
    },
    heal: () => {
      state.swallows = false
      for (const socket of state.sockets) socket.resume()
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of state.sockets) socket.resetAndDestroy()
      await closed
    },
  }
}

function track({ sockets }: State, socket: Socket): void {
  sockets.add(socket)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
}

/** Copies one direction. */
function pass(state: State, from: Socket, to: Socket): void {
  from.on('data', (chunk: Buffer) => {
    if (to.destroyed || to.write(chunk)) return
    from.pause()
    to.once('drain', () => {
      if (!state.swallows) from.resume()
    })
  })
  from.on('end', () => to.end())
  // bytes already written must still arrive, though the other side may send more: closing at once would reset the connection
  from.on('close', () => {
    to.end()
    setTimeout(() => to.destroy(), LINGER_MS).unref()
  })
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
