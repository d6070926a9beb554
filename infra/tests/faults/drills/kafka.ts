import { setTimeout as delay } from 'node:timers/promises'
import { balanceIs, type Drill, instancesOf, must, settle, someone } from '../scene.ts'
import { describeRefusals, eachOnce, submits } from '../submits.ts'
import { type Outage, killed, silent, stopped } from '../outages.ts'
import { buyCredits } from '../../support/person.ts'

const DRAINED_WITHIN_MS = 60_000
const SONGS_EACH_MINUTE = 100

/** Submits and a payment during an outage of Kafka are accepted; their events are handled soon after its end. */
const drill = ({ how, start, end }: Outage, forMs: number): Drill => ({
  name: `Kafka: ${how} for ${forMs / 1000} s`,
  run: async (scene) => {
    const people = await Promise.all([1, 2, 3].map(() => someone(scene, 100)))
    const payer = await someone(scene)
    await start(scene)
    const each = Math.round((SONGS_EACH_MINUTE * forMs) / 60_000)
    const load = submits(scene, people, each, { overMs: forMs * 0.9 })
    await buyCredits(payer, 500)
    await delay(forMs)
    await load.done
    must(load.refused.size === 0, `submits were refused: ${describeRefusals(load)}`)
    for (const { address } of instancesOf(scene, 'songs')) {
      const { status } = await fetch(`${address}/readyz`)
      must(status === 200, `songs is not ready: ${status}`)
    }
    await end(scene)
    const drained = await settle(scene, DRAINED_WITHIN_MS)
    await eachOnce(scene, people, load, 10)
    await balanceIs(scene, payer, 500)
    const slowest = load.slowestMs().toFixed(0)
    scene.note(
      `${load.accepted.size} accepted, slowest ${slowest} ms; drained ${(drained / 1000).toFixed(1)} s after its end`,
    )
  },
})

export const kafka: readonly Drill[] = [
  drill(stopped('kafka'), 60_000),
  drill(killed('kafka'), 20_000),
  drill(silent('kafka'), 40_000),
]
