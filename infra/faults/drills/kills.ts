import type { ServiceName } from '@prelude/contracts'
import { PARTS } from '../../stack/parts.ts'
import { balanceIs, type Drill, instancesOf, settle, someone, type Scene, until } from '../scene.ts'
import { describeRefusals, eachOnce, type Submits, submits } from '../submits.ts'
import { buyCredits, type Person } from '../../system/person.ts'

/** 500 songs of five people, each with credits for half of them. */
const PEOPLE = 5
const EACH = 100
const CREDITS = (EACH / 2) * 10

async function inTheMiddle(
  scene: Scene,
  harm: () => Promise<void> | void,
): Promise<{ people: Person[]; load: Submits }> {
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => someone(scene, CREDITS)))
  const load = submits(scene, people, EACH)
  await until('the first submits', 60_000, () => (load.accepted.size >= 150 ? null : `${load.accepted.size}`))
  await harm()
  await load.done
  return { people, load }
}

const killed = (part: ServiceName): Drill => ({
  name: `${part}: one killed -9 in the middle of 500 submits`,
  run: async (scene) => {
    const { people, load } = await inTheMiddle(scene, () => instancesOf(scene, part)[0]?.program.crash())
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

/** It goes on where it stood, long after its work was given to another. */
const frozen = (part: ServiceName): Drill => ({
  name: `${part}: one frozen for 30 s in the middle of 500 submits, then goes on`,
  run: async (scene) => {
    const program = instancesOf(scene, part)[0]?.program
    const { people, load } = await inTheMiddle(scene, () => {
      program?.freeze()
      setTimeout(() => program?.thaw(), 30_000)
    })
    const settled = await settle(scene)
    await eachOnce(scene, people, load, EACH / 2)
    scene.note(`${describeRefusals(load)}; all decided ${(settled / 1000).toFixed(0)} s after the last`)
  },
})

export const kills: readonly Drill[] = [...PARTS.map(killed), frozen('credits'), frozen('songs')]
