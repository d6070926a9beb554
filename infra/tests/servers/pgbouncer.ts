import type { Certificate } from '@prelude/platform'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram } from './installed.ts'
import {
  acceptsConnections,
  freePort,
  type NativeOptions,
  type NativeServer,
  startProcess,
} from './server-process.ts'

/** Errors: ServerMissing. */
export const findPgbouncer = (): void => findProgram('pgbouncer')

interface PgbouncerOptions extends NativeOptions {
  /** Of PostgreSQL with TLS. */
  readonly serverPort: number
  /** Signed the server's certificate, PEM. */
  readonly authority: string
  readonly certificate: Certificate
  /** Passwords by user. */
  readonly users: Readonly<Record<string, string>>
  /** Sessions of each user at the server. */
  readonly poolSize: number
}

/** Starts PgBouncer in transaction mode in front of the database `prelude`, with TLS on both sides. */
export async function startPgbouncer({
  dir,
  port,
  ...options
}: PgbouncerOptions): Promise<Omit<NativeServer, 'url'>> {
  findPgbouncer()
  const own = port ?? (await freePort())
  await mkdir(dir, { recursive: true })
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(dir, name)
    await writeFile(path, text)
    return path
  }
  const users = Object.entries(options.users).map(([name, password]) => `"${name}" "${password}"\n`)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: String(own),
    unix_socket_dir: '',
    pool_mode: 'transaction',
    default_pool_size: String(options.poolSize),
    auth_type: 'scram-sha-256',
    auth_file: await file('users.txt', users.join('')),
    client_tls_sslmode: 'require',
    client_tls_cert_file: await file('cert.pem', options.certificate.cert),
    client_tls_key_file: await file('key.pem', options.certificate.key),
    server_tls_sslmode: 'verify-ca',
    server_tls_ca_file: await file('authority.pem', options.authority),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  const database = `[databases]\nprelude = host=127.0.0.1 port=${options.serverPort}\n`
  const config = await file('pgbouncer.ini', `${database}[pgbouncer]\n${lines.join('')}`)
  // it refuses to run as root, and then reads its files as another user
  await chmod(dir, 0o755)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const server = await startProcess({
    name: 'pgbouncer',
    dir,
    command: 'pgbouncer',
    args: [...user, config],
    healthy: () => acceptsConnections(own),
  })
  return { ...server, port: own }
}
