import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { schemaOf } from '../../src/events/index.ts'
import { chooser, testLogger } from '../support/index.ts'
import { AGGREGATES, type ChaosEnv } from '../chaos/env.ts'
import { type BusUnderTest, openSource, PASSWORD } from './source.ts'
import { migrate, roleOf, roleUrl } from '../../migrate/index.ts'

const KILL_EVERY_MS = 500
const ENOUGH_EVENTS = 300

export interface ChaosOptions {
  readonly seconds: number
  /** Kills the server that events pass through, the broker or PostgreSQL, and starts it again. */
  readonly crash: () => Promise<void>
}

/**
 * Writers (with rollbacks and stalls), forwarders without any election and consumers, some of which emit in their own process,
 * are processes that are killed at random, and so is the server that events pass through. In the end every committed event has had its effect once, in the
 * order of its aggregate.
 */
export function chaosConformance(
  name: string,
  open: () => Promise<BusUnderTest>,
  options: ChaosOptions,
): void {
  test(`${name}: writers, consumers, forwarders and the server killed at random: each effect once, in the order of its aggregate`, async () => {
    await using source = await openSource(open)
    const { adminUrl, busUrl } = source
    const schema = { name: 'credits', migrations: new URL('../tally/', import.meta.url) } as const
    await migrate(adminUrl, schemaOf(schema), PASSWORD, testLogger())
    const admin = new pg.Pool({ connectionString: adminUrl, max: 1 })
    admin.on('error', () => {}) // the server was killed
    await admin.query(
      `create table songs.aggregate (uid text primary key, n integer not null default 0);
         grant select, update on songs.aggregate to ${roleOf('songs')};
         insert into songs.aggregate select 'a' || n from generate_series(0, ${AGGREGATES - 1}) n`,
    )
    const choose = chooser(inject('seed'))
    const processes = ['writer', 'writer', 'consumer', 'consumer'].map((kind) =>
      killable(kind, {
        songsUrl: roleUrl(adminUrl, 'songs', PASSWORD),
        creditsUrl: roleUrl(adminUrl, 'credits', PASSWORD),
        busUrl,
        seed: () => choose(2 ** 31),
      }),
    )
    try {
      const began = Date.now()
      /** 0 while the server is down. */
      const emitted = (): Promise<number> =>
        admin.query<{ n: string }>('select count(*) as n from songs.event').then(
          ({ rows }) => Number(rows[0]?.n),
          () => 0,
        )
      const isEnough = async (): Promise<boolean> =>
        Date.now() - began > options.seconds * 1_000 && (await emitted()) > ENOUGH_EVENTS
      let kills = 0
      const crashing = crashAtRandom(options)
      while (!(await isEnough())) {
        await delay(KILL_EVERY_MS)
        processes[choose(processes.length)]?.kill()
        kills++
      }
      const crashes = await crashing.end()
      expect(kills).toBeGreaterThan(options.seconds)
      expect(crashes).toBeGreaterThan(0)
      for (const writer of processes.slice(0, 2)) await writer.end()
      await admin.query(`revoke update on songs.aggregate from ${roleOf('songs')}`) // the consumers go on, and emit no more
      source.publisher.wake() // what the killed forwarders left
      await eventually(async () => {
        const { rows } = await admin.query(
          `select a.uid, a.n, t.total::int as total, t.in_order from songs.aggregate a left join credits.tally t using (uid)
             where a.n <> coalesce(t.total, 0) or not t.in_order`,
        )
        expect(rows).toEqual([])
      })
      const { rows } = await admin.query<{ events: number; taken: number; last: number }>(
        `select (select count(*) from songs.event)::int as events, (select sum(taken) from credits.cursor)::int as taken,
                  (select max(position) from songs.event)::int as last`,
      )
      const [{ events, taken, last } = { events: 0, taken: 0, last: 0 }] = rows
      expect(taken).toBe(events)
      expect(events).toBeGreaterThan(ENOUGH_EVENTS)
      expect(last).toBeGreaterThan(events) // positions were rolled back
      process.stderr.write(
        `${name}: ${kills} kills, ${crashes} crashes of the server, ${events} events, ${last - events} positions rolled back\n`,
      )
    } finally {
      await Promise.all(processes.map((one) => one.end()))
      await admin.end()
    }
  })
}

/** Crashes the server again and again, after pauses that follow from the seed of the run: once before half of the time is over. */
function crashAtRandom({ seconds, crash }: ChaosOptions): { end(): Promise<number> } {
  const choose = chooser(inject('seed') + 1)
  const ended = new AbortController()
  let crashes = 0
  const crashing = (async () => {
    while (!ended.signal.aborted) {
      await delay(choose(seconds * 500), undefined, { signal: ended.signal }).catch(() => {})
      if (ended.signal.aborted) return
      await crash()
      crashes++
    }
  })()
  return {
    end: async () => {
      ended.abort()
      await crashing
      return crashes
    },
  }
}

/** A process that is started again whenever it ends, each time with a seed of its own. */
function killable(
  kind: string,
  { seed, ...env }: Omit<ChaosEnv, 'seed'> & { seed: () => number },
): { kill(): void; end(): Promise<void> } {
  let ending = false
  let current: ChildProcess
  const file = new URL(`../chaos/${kind}.ts`, import.meta.url).pathname
  const start = (): void => {
    current = spawn(process.execPath, [file], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, CHAOS: JSON.stringify({ ...env, seed: seed() } satisfies ChaosEnv) },
    })
    current.once('exit', () => {
      if (!ending) start()
    })
  }
  start()
  return {
    kill: () => void current.kill('SIGKILL'),
    end: async () => {
      ending = true
      if (current.exitCode !== null || current.signalCode !== null) return
      const ended = once(current, 'exit')
      current.kill('SIGKILL')
      await ended
    },
  }
}
