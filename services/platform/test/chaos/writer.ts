import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { chooser } from '../support/chooser.ts'
import { AGGREGATES, type ChaosEnv } from './env.ts'

/**
 * A process of the service `songs` that changes aggregates and emits an event for each change, until it is killed: six
 * writers, one in fifty transactions with up to 600 events, one in twenty rolled back after its positions were drawn, some
 * slow. With a broker it also forwards, without any election.
 */
const { songsUrl, busUrl, seed } = JSON.parse(process.env['CHAOS'] ?? '') as ChaosEnv

if (busUrl.startsWith('kafka:')) {
  const { forward } = await import('./forward.ts')
  forward(songsUrl, busUrl, seed)
}

const choose = chooser(seed)
const isOneIn = (n: number): boolean => choose(n) === 0

async function write(): Promise<never> {
  const client = new pg.Client({ connectionString: songsUrl, options: '-c search_path=songs' })
  client.on('error', () => process.exit(1))
  await client.connect()
  for (;;) {
    const uid = `a${choose(AGGREGATES)}`
    await client.query('begin')
    const events = isOneIn(50) ? 1 + choose(600) : 1
    const { rows } = await client.query<{ n: number }>(
      'update aggregate set n = n + $2 where uid = $1 returning n',
      [uid, events],
    )
    const before = (rows[0]?.n ?? 0) - events
    const appended = Array.from({ length: events }, (_, index) => ({
      id: randomUUID(),
      key: uid,
      type: 'Counted',
      version: 1,
      for: ['credits'],
      at: Date.now(),
      correlationId: 'c',
      data: { uid, n: before + index + 1 },
    }))
    await client.query('select append_events($1)', [JSON.stringify(appended)])
    if (isOneIn(10)) await delay(choose(30))
    await client.query(isOneIn(20) ? 'rollback' : 'commit')
    await delay(choose(10))
  }
}

// the server was killed: the parent starts another writer
await Promise.race(Array.from({ length: 6 }, write)).catch(() => process.exit(1))
