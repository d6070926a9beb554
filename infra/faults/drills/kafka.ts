import { setTimeout as delay } from 'node:timers/promises'
import { balanceIs, type Drill, instancesOf, must, settle, someone } from '../scene.ts'
import { describeRefusals, eachOnce, submits } from '../submits.ts'
import { type Harm, killed, silent, stopped } from '../harms.ts'
import { buyCredits } from '../../system/person.ts'

const DRAINED_WITHIN_MS = 60_000
const SONGS_EACH_MINUTE = 100

/** Submits and a payment while Kafka is away are accepted, and what follows from them comes soon after its return. */
const away = ({ how, take, giveBack }: Harm, forMs: number): Drill => ({
  name: `Kafka: ${how} for ${forMs / 1000} s`,
  run: async (scene) => {
    const people = await Promise.all([1, 2, 3].map(() => someone(scene, 100)))
    const payer = await someone(scene)
    await take(scene)
    const each = Math.round((SONGS_EACH_MINUTE * forMs) / 60_000)
    const load = submits(scene, people, each, { overMs: forMs * 0.9 })
    await buyCredits(payer, 500)
    await delay(forMs)
    await load.done
    must(load.refused.size === 0, `submits were refused: ${describeRefusals(load)}`)
    for (const { address } of instancesOf(scene, 'songs')) {
      const { status } = await fetch(`${address}/readyz`)
      must(status === 200, `songs says that it is not ready: ${status}`)
    }
    await giveBack(scene)
    const drained = await settle(scene, DRAINED_WITHIN_MS)
    await eachOnce(scene, people, load, 10)
    await balanceIs(scene, payer, 500)
    const slowest = load.slowestMs().toFixed(0)
    scene.note(
      `${load.accepted.size} accepted, slowest ${slowest} ms; drained ${(drained / 1000).toFixed(1)} s after its return`,
    )
  },
})

export const kafka: readonly Drill[] = [
  away(stopped('kafka'), 60_000),
  away(killed('kafka'), 20_000),
  away(silent('kafka'), 40_000),
]
