import { setTimeout as delay } from 'node:timers/promises'
import { dropPackets } from '../drop-packets.ts'
import { type Outage, killed, silent } from '../outages.ts'
import { ask, type Drill, must, settle, someone, until, withDatabase } from '../scene.ts'
import { describeRefusals, eachOnce, submits } from '../submits.ts'

const WITHIN_MS = 5_000
const AWAY_MS = 10_000

/** Submits before, during and after the outage: quickly 503, success soon after its end, nothing lost, nothing twice. */
const drill = ({ how, start, end }: Outage): Drill => ({
  name: `PostgreSQL: ${how} for ${AWAY_MS / 1000} s`,
  run: async (scene) => {
    const people = await Promise.all([someone(scene, 100), someone(scene, 100)])
    const load = submits(scene, people, 60, { atOnce: 4, overMs: 20_000 })
    await until('the first submits', 30_000, () =>
      load.accepted.size >= 10 ? null : `${load.accepted.size}`,
    )
    await start(scene)
    const back = Date.now() + AWAY_MS
    const [person] = people
    let slowest = 0
    while (Date.now() < back) {
      const { status, ms } = await ask(scene, person, 'GET', '/api/songs')
      must(status === 503, `without its database the album answers ${status || 'nothing'}`)
      slowest = Math.max(slowest, ms)
      await delay(200)
    }
    must(slowest < WITHIN_MS, `503 took ${slowest.toFixed(0)} ms`)
    await end(scene)
    const success = await until('success', WITHIN_MS, async () => {
      const { status } = await ask(scene, person, 'GET', '/api/songs')
      return status === 200 ? null : `it answers ${status}`
    })
    await load.done
    await settle(scene)
    await eachOnce(scene, people, load, 10)
    scene.note(
      `503 within ${slowest.toFixed(0)} ms, success ${success.toFixed(0)} ms after its end; ${describeRefusals(load)}`,
    )
  },
})

const SESSIONS = `select client_port as port from pg_stat_activity where application_name = 'prelude-songs'`
const FORWARDER = `${SESSIONS} and pid in (select pid from pg_locks where locktype = 'advisory'
  and objid::bigint = hashtext('forwarder of prelude.songs')::bigint & 4294967295)`
/** The server ends a session without its client after 25 s. */
const FREE_WITHIN_MS = 40_000

/**
 * As after a host or a firewall on the way was replaced: neither side of a connection is notified. Songs answers over new
 * connections, and the lock of its forwarder, which the server still holds for a client that is gone, becomes free.
 */
const droppedConnections: Drill = {
  name: 'PostgreSQL: every packet of the connections of songs is dropped',
  run: async (scene) => {
    const people = await Promise.all([someone(scene, 100), someone(scene, 100)])
    await withDatabase(scene, async (query) => {
      const portsOf = async (sql: string) => (await query(sql)).map(({ port }) => Number(port))
      const lost = new Set(await portsOf(SESSIONS))
      const heal = dropPackets(Number(new URL(scene.stack.servers.adminUrl).port), [...lost])
      try {
        const load = submits(scene, people, 30, { atOnce: 4, overMs: 20_000 })
        const free = await until('another forwarder', FREE_WITHIN_MS, async () => {
          const [port] = await portsOf(FORWARDER)
          return port !== undefined && !lost.has(port) ? null : 'the lock belongs to a lost connection'
        })
        await load.done
        await settle(scene)
        await eachOnce(scene, people, load, 10)
        scene.note(
          `${lost.size} connections lost, the lock of the forwarder free after ${(free / 1000).toFixed(0)} s; ${describeRefusals(load)}`,
        )
      } finally {
        heal()
      }
    })
  },
}

export const postgres: readonly Drill[] = [
  drill(killed('postgres')),
  drill(silent('postgres')),
  droppedConnections,
]
