import { once } from 'node:events'
import { createConnection } from 'node:net'
import { obtainFromDebian } from './debian.ts'
import { freePort, type NativeOptions, type NativeServer, startProcess } from './server-process.ts'

const PROGRAM = 'redis-server'

/** Errors: ServerMissing. */
export const obtainRedis = (): Promise<void> => obtainFromDebian(PROGRAM)

/** Starts Redis with the settings that sessions need: every write on disk within a second, no eviction. 64 databases. */
export async function startRedis({ dir, port }: NativeOptions): Promise<NativeServer> {
  await obtainRedis()
  const own = port ?? (await freePort())
  const settings = {
    bind: '127.0.0.1',
    port: String(own),
    dir,
    databases: '64',
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
  }
  const server = await startProcess({
    name: 'redis',
    dir,
    command: PROGRAM,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    healthy: () => answersPing(own),
    readyWithinMs: 15_000,
  })
  return { ...server, port: own, url: `redis://127.0.0.1:${own}` }
}

/** Rejects while Redis still loads its data. */
async function answersPing(port: number): Promise<void> {
  const socket = createConnection({ port, host: '127.0.0.1', timeout: 1_000 })
  try {
    await once(socket, 'connect')
    socket.write('PING\r\n')
    const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(1_000) })) as [Buffer]
    if (!answer.toString().startsWith('+PONG')) throw new Error(answer.toString())
  } finally {
    socket.destroy()
  }
}
