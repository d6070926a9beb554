import { type Drill, settle, someone } from '../scene.ts'
import { describeRefusals, eachOnce, submits } from '../submits.ts'
import { must } from '../scene.ts'

const LATE_MS = 60

/** Latency in both directions to every server: slow, but nothing is refused. */
export const slow: readonly Drill[] = [
  {
    name: `All servers: every packet ${LATE_MS} ms late`,
    run: async (scene) => {
      const people = await Promise.all([someone(scene, 200), someone(scene, 200)])
      const links = Object.values(scene.stack.links)
      for (const link of links) link.slow(LATE_MS)
      const load = submits(scene, people, 40, { atOnce: 8 })
      await load.done
      const settled = await settle(scene)
      for (const link of links) await link.heal()
      must(load.refused.size === 0, `submits were refused: ${describeRefusals(load)}`)
      await eachOnce(scene, people, load, 20)
      scene.note(
        `80 accepted, slowest ${load.slowestMs().toFixed(0)} ms; decided ${(settled / 1000).toFixed(1)} s after the last`,
      )
    },
  },
]
