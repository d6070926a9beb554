import { setTimeout as delay } from 'node:timers/promises'
import { type Outage, killed, silent } from '../outages.ts'
import { ask, type Drill, must, settle, someone, until } from '../scene.ts'
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

export const postgres: readonly Drill[] = [drill(killed('postgres')), drill(silent('postgres'))]
