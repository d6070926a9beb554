import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { Certificate } from '@prelude/platform'
import { findProgram } from './installed.ts'
import {
  acceptsConnections,
  ANSWER_WITHIN_MS,
  freePort,
  type NativeOptions,
  type NativeServer,
  startProcess,
} from './server-process.ts'

const PROGRAM = 'redis-server'

/** Errors: ServerMissing. */
export const findRedis = (): void => findProgram(PROGRAM)

interface RedisOptions extends NativeOptions {
  /** TLS alone, and this user alone. */
  readonly secure?: { readonly certificate: Certificate; readonly user: string; readonly password: string }
}

/** Starts Redis with the settings that sessions need: every write on disk within a second, no eviction. 64 databases. */
export async function startRedis({ dir, port, secure }: RedisOptions): Promise<NativeServer> {
  findRedis()
  const own = port ?? (await freePort())
  const settings = {
    bind: '127.0.0.1',
    port: secure ? '0' : String(own),
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
    args: [
      ...(secure ? [await secured(dir, own, secure)] : []),
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ],
    healthy: () => (secure ? acceptsConnections(own) : answersPing(own)),
  })
  const url = secure
    ? `rediss://${secure.user}:${secure.password}@localhost:${own}`
    : `redis://127.0.0.1:${own}`
  return { ...server, port: own, url }
}

/** Writes the file of settings that need lines of their own. */
async function secured(
  dir: string,
  port: number,
  { certificate, user, password }: NonNullable<RedisOptions['secure']>,
): Promise<string> {
  await mkdir(dir, { recursive: true })
  const [cert, key, config] = [join(dir, 'cert.pem'), join(dir, 'key.pem'), join(dir, 'secure.conf')]
  await writeFile(cert, certificate.cert)
  await writeFile(key, certificate.key, { mode: 0o600 })
  const lines = [
    `tls-port ${port}`,
    `tls-cert-file ${cert}`,
    `tls-key-file ${key}`,
    'tls-auth-clients no',
    'user default off',
    `user ${user} on >${password} ~* &* +@all`,
  ]
  await writeFile(config, `${lines.join('\n')}\n`, { mode: 0o600 })
  return config
}

/** Rejects while Redis still loads its data. */
async function answersPing(port: number): Promise<void> {
  const socket = createConnection({ port, host: '127.0.0.1', timeout: ANSWER_WITHIN_MS })
  try {
    await once(socket, 'connect')
    socket.write('PING\r\n')
    const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })) as [
      Buffer,
    ]
    if (!answer.toString().startsWith('+PONG')) throw new Error(answer.toString())
  } finally {
    socket.destroy()
  }
}
