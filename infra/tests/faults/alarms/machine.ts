import { execFileSync } from 'node:child_process'
import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Person } from '../../support/person.ts'
import { fulfil } from '../fulfil.ts'
import { ask, instancesOf, must, type Scene, someone, unlockedOperator } from '../scene.ts'
import { described, lockTable, repeat, submit } from './acts.ts'
import type { Alarm } from './alarm.ts'

/** Disk space and connections that run out. */

const VOLUME = 'size=16m'
const LARGER_VOLUME = 'size=64m'

/** State of a provocation for its repair. */
let songId = ''
let release = (): void => {}
let stop = (): void => {}

const stagingOf = ({ stack }: Scene): string => join(stack.dataDir, 'storage-1/staging')

/** Stops storage for the change, and starts it again. */
async function changeVolume(scene: Scene, command: 'mount' | 'umount', ...args: string[]): Promise<void> {
  const { program } = instancesOf(scene, 'storage')[0]!
  await program.stop()
  execFileSync(command, [...args, stagingOf(scene)])
  await program.start()
}

async function tryToFulfil(scene: Scene, when: string): Promise<number> {
  const answer = await fulfil(scene, await unlockedOperator(scene), songId)
  scene.note(
    `fulfilling ${when}: ${described(answer)}${answer.body.detail ? `, "${answer.body.detail}"` : ''}`,
  )
  return answer.status
}

export const MACHINE: readonly Alarm[] = [
  {
    alerts: ['PreludeDiskLow'],
    how: 'the volume of uploads is full',
    provoke: async (scene) => {
      must(process.getuid?.() === 0, 'only root may make a volume')
      songId = await submit(scene, await someone(scene))
      await changeVolume(scene, 'mount', '-t', 'tmpfs', '-o', VOLUME, 'prelude-alarm')
      const { bavail, bsize } = await statfs(stagingOf(scene))
      await writeFile(join(stagingOf(scene), 'something-large'), Buffer.alloc(bavail * bsize))
      must((await tryToFulfil(scene, 'on the full volume')) >= 500, 'it succeeded')
    },
    repair: async (scene) => {
      execFileSync('mount', ['-o', `remount,${LARGER_VOLUME}`, stagingOf(scene)])
      must((await tryToFulfil(scene, 'on the larger volume')) === 200, 'it failed')
      await changeVolume(scene, 'umount')
    },
  },
  {
    alerts: ['PreludeConnectionsExhausted'],
    how: 'another database session holds a lock on the payments while 24 people pay',
    provoke: async (scene) => {
      const people: Person[] = []
      for (let n = 0; n < 24; n++) people.push(await someone(scene))
      release = await lockTable(scene, 'payments.payment in access exclusive mode')
      const pay = (person: Person) => ask(scene, person, 'POST', '/api/payments', { json: { amount: 25 } })
      const stops = people.map((person) => repeat(() => pay(person)))
      stop = () => stops.forEach((one) => one())
      scene.note(`a payment: ${described(await pay(people[0]!))}`)
      scene.note(`the album: ${described(await ask(scene, people[0]!, 'GET', '/api/songs'))}`)
    },
    repair: () => {
      release()
      stop()
    },
  },
]
