import { setTimeout as delay } from 'node:timers/promises'
import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { FLAC, MP3 } from '../../support/audio-files.ts'
import { allSongs, buyCredits, type Person, unlockedOperator } from '../../support/person.ts'
import { makeReady, must, people, someone } from '../calls.ts'
import { balanceIs } from '../../support/checkout.ts'
import { containersOf, crash, healthy } from '../faults.ts'
import { type Drill, type Scene, settle } from '../scene.ts'
import { eachOnce, submits } from '../submits.ts'

/** 150 songs of three people, who have credits for half of them. */
const EACH = 50
const CREDITS = (EACH / 2) * 10
const FULFILLED = 12
const AT_ONCE = 4
/** Long enough that another instance takes over its partitions. */
const FROZEN_MS = 30_000

/** Fulfils the songs, some at a time. */
function fulfilments(scene: Scene, operator: Person, ids: readonly string[]) {
  const waiting = [...ids]
  const load = { ready: 0, done: Promise.resolve() as Promise<unknown> }
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await makeReady(scene, operator, id)
      load.ready++
    }
  })
  load.done = Promise.all(workers)
  load.done.catch(() => {}) // the drill awaits it
  return load
}

/** Both versions of every song are the files that were sent. */
async function bothVersions(operator: Person, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    for (const [i, file] of [MP3, FLAC].entries()) {
      const { status, bytes } = await operator.call('GET', `/api/songs/${id}/versions/${i + 1}`)
      must(status === 200, `version ${i + 1} of a ready song answers ${status}`)
      must(bytes.equals(file), `version ${i + 1} of a song is not the file that was sent`)
    }
}

/** One instance fails in the middle of submits and fulfilments: each song is there once, is charged once, and plays. */
const drill = (name: string, fault: (scene: Scene) => Promise<void>): Drill => ({
  name,
  run: async (scene) => {
    const [operator, singer] = [await unlockedOperator(scene), await someone(scene)]
    await submits(scene, [singer], FULFILLED).done
    await settle(scene) // no charge is undecided
    const ids = (await allSongs(singer)).map(({ id }) => id)
    const payers = await people(scene, 3, CREDITS)
    const load = submits(scene, payers, EACH)
    const fulfilled = fulfilments(scene, operator, ids)
    await eventually(() => must(load.accepted.size >= EACH && fulfilled.ready > 0, 'the load has not begun'))
    await fault(scene)
    await Promise.all([load.done, fulfilled.done])
    await settle(scene)
    await bothVersions(operator, ids)
    await eachOnce(payers, load, EACH / 2)
    const [first] = payers as [Person]
    await buyCredits(first, CREDITS)
    await eachOnce([first], load, EACH)
    await balanceIs(first, 0)
  },
})

const killed = (service: ServiceName): Drill =>
  drill(`${service}: one instance killed -9 in the middle of submits and fulfilments`, async (scene) => {
    const [instance = ''] = await containersOf(scene, service)
    await crash(scene, instance)
    await healthy(scene, service)
  })

const frozen = (service: ServiceName): Drill =>
  drill(
    `${service}: one instance frozen for 30 s in the middle of submits and fulfilments`,
    async (scene) => {
      const [instance = ''] = await containersOf(scene, service)
      await eventually(() => scene.docker('pause', instance)) // an engine may give up on a busy one
      await delay(FROZEN_MS)
      await scene.docker('unpause', instance)
    },
  )

export const services: readonly Drill[] = SERVICE_NAMES.flatMap((name) => [killed(name), frozen(name)])
