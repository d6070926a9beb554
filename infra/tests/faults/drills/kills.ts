import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import { balanceIs, type Drill, instancesOf, settle, someone, type Scene, until } from '../scene.ts'
import { describeRefusals, eachOnce, type Submits, submits } from '../submits.ts'
import { buyCredits, type Person } from '../../support/person.ts'

/** 500 songs of five people, who have credits for half of their songs. */
const PEOPLE = 5
const EACH = 100
const CREDITS = (EACH / 2) * 10

async function inTheMiddle(
  scene: Scene,
  fault: () => Promise<void> | void,
): Promise<{ people: Person[]; load: Submits }> {
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => someone(scene, CREDITS)))
  const load = submits(scene, people, EACH)
  await until('the first submits', 60_000, () => (load.accepted.size >= 150 ? null : `${load.accepted.size}`))
  await fault()
  await load.done
  return { people, load }
}

const killed = (service: ServiceName): Drill => ({
  name: `${service}: one instance killed -9 in the middle of 500 submits`,
  run: async (scene) => {
    const { people, load } = await inTheMiddle(scene, () => instancesOf(scene, service)[0]?.program.crash())
    const settled = await settle(scene)
    await eachOnce(scene, people, load, EACH / 2)
    scene.note(`${describeRefusals(load)}; all decided ${(settled / 1000).toFixed(0)} s after the last`)
    const [first] = people
    if (!first) return
    await buyCredits(first, CREDITS)
    await eachOnce(scene, [first], load, EACH)
    await balanceIs(scene, first, 0)
  },
})

/** SIGSTOP, then SIGCONT: the instance goes on long after another one took over its partitions. */
const frozen = (service: ServiceName): Drill => ({
  name: `${service}: one instance frozen for 30 s in the middle of 500 submits`,
  run: async (scene) => {
    const program = instancesOf(scene, service)[0]?.program
    const { people, load } = await inTheMiddle(scene, () => {
      program?.freeze()
      setTimeout(() => program?.thaw(), 30_000)
    })
    const settled = await settle(scene)
    await eachOnce(scene, people, load, EACH / 2)
    scene.note(`${describeRefusals(load)}; all decided ${(settled / 1000).toFixed(0)} s after the last`)
  },
})

export const kills: readonly Drill[] = [...SERVICE_NAMES.map(killed), frozen('credits'), frozen('songs')]
