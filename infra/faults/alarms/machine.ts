import { execFileSync } from 'node:child_process'
import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Person } from '../../system/person.ts'
import { fulfil } from '../fulfil.ts'
import { ask, instancesOf, must, someone, unlockedOperator } from '../scene.ts'
import { described, lockTable, repeat, submit } from './acts.ts'
import type { Alarm, Witness } from './alarm.ts'

/** Room and connections that run out. */

const VOLUME = 'size=16m'
const LARGER_VOLUME = 'size=64m'

/** What a provocation leaves for its repair. */
let songId = ''
let release = (): void => {}
let stop = (): void => {}

const stagingOf = ({ stack }: Witness): string => join(stack.dataDir, 'storage-1/staging')

/** While storage is stopped. */
async function changeVolume(witness: Witness, command: 'mount' | 'umount', ...args: string[]): Promise<void> {
  const { program } = instancesOf(witness, 'storage')[0]!
  await program.stop()
  execFileSync(command, [...args, stagingOf(witness)])
  await program.start()
}

async function tryToFulfil(witness: Witness, when: string): Promise<number> {
  const answer = await fulfil(witness, await unlockedOperator(witness), songId)
  witness.note(
    `fulfilling ${when}: ${described(answer)}${answer.body.detail ? `, "${answer.body.detail}"` : ''}`,
  )
  return answer.status
}

export const MACHINE: readonly Alarm[] = [
  {
    alerts: ['PreludeDiskLow'],
    how: 'the volume of uploads is full',
    provoke: async (witness) => {
      must(process.getuid?.() === 0, 'only root may make a volume')
      songId = await submit(witness, await someone(witness))
      await changeVolume(witness, 'mount', '-t', 'tmpfs', '-o', VOLUME, 'prelude-alarm')
      const { bavail, bsize } = await statfs(stagingOf(witness))
      await writeFile(join(stagingOf(witness), 'something-large'), Buffer.alloc(bavail * bsize))
      must((await tryToFulfil(witness, 'on the full volume')) >= 500, 'it went well')
    },
    repair: async (witness) => {
      execFileSync('mount', ['-o', `remount,${LARGER_VOLUME}`, stagingOf(witness)])
      must((await tryToFulfil(witness, 'on the larger volume')) === 200, 'it failed')
      await changeVolume(witness, 'umount')
    },
  },
  {
    alerts: ['PreludeConnectionsExhausted'],
    how: 'a session of somebody else holds a lock on the payments while 24 people pay',
    provoke: async (witness) => {
      const people: Person[] = []
      for (let n = 0; n < 24; n++) people.push(await someone(witness))
      release = await lockTable(witness, 'payments.payment in access exclusive mode')
      const pay = (person: Person) => ask(witness, person, 'POST', '/api/payments', { json: { amount: 25 } })
      const stops = people.map((person) => repeat(() => pay(person)))
      stop = () => stops.forEach((one) => one())
      witness.note(`a payment: ${described(await pay(people[0]!))}`)
      witness.note(`the album: ${described(await ask(witness, people[0]!, 'GET', '/api/songs'))}`)
    },
    repair: () => {
      release()
      stop()
    },
  },
]
