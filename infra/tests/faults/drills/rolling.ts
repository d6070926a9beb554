import { unlockedOperator } from '../../support/person.ts'
import { answers, makeReady, must, someone, trySubmit } from '../calls.ts'
import { containersOf, healthy } from '../faults.ts'
import type { Drill } from '../scene.ts'
import { use } from '../use.ts'

const CREDITS = 5_000
/** Of storage there is one instance: while it restarts nothing plays. */
const TWICE = ['songs', 'credits', 'payments', 'notifier', 'gateway']

export const rolling: Drill = {
  name: 'restart: one instance after the other, under all kinds of requests, of which none fails',
  run: async (scene) => {
    const [operator, singer] = [await unlockedOperator(scene), await someone(scene, CREDITS)]
    const { body: song } = await trySubmit(scene, singer)
    await makeReady(scene, operator, song.id)
    await answers(scene, singer, `/api/songs/${song.id}/versions/2/waveform`)
    const load = use(scene, singer, operator, song.id)
    try {
      for (const service of TWICE)
        for (const instance of await containersOf(scene, service)) {
          await scene.docker('restart', instance)
          await healthy(scene, service)
        }
    } finally {
      await load.stop()
    }
    const kinds = Map.groupBy(load.failed, (one) => one).entries()
    const counts = Array.from(kinds, ([one, { length }]) => `${length} × ${one}`).join('; ')
    must(counts === '', `${load.failed.length} of ${load.asked()} requests failed: ${counts}`)
  },
}
