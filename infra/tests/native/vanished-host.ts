import { connectionOptions } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { execFileSync } from 'node:child_process'
import pg from 'pg'
import { startPostgres } from '../../embedded/postgres.ts'

/**
 * Run in a network namespace of its own (`unshare -n`): the network drops every packet of a client that holds a session
 * lock, as when its host has vanished. Prints after how many ms another client gets the lock.
 */

execFileSync('ip', ['link', 'set', 'lo', 'up'])
const server = await startPostgres({ dataDir: process.argv[2] ?? '', durable: false, socket: true })
const holder = new pg.Client(connectionOptions(server.adminUrl, 'public'))
holder.on('error', () => {})
await holder.connect()
await holder.query('select pg_advisory_lock(1)')
// the holder and the server do not reach each other any more; the other client comes by the Unix socket
for (const command of ['del local', 'add blackhole'])
  execFileSync('ip', ['route', ...command.split(' '), '127.0.0.1/32', 'table', 'local'])

const waiting = new pg.Client(connectionOptions(server.localUrl, 'public'))
await waiting.connect()
const began = performance.now()
await eventually(async () => {
  const { rows } = await waiting.query<{ held: boolean }>('select pg_try_advisory_lock(1) as held')
  if (!rows[0]?.held) throw new Error('the lock is held')
})
process.stdout.write(`${Math.round(performance.now() - began)}\n`)
await waiting.end()
await server.stop()
process.exit(0)
