import { execFileSync } from 'node:child_process'
import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Person } from '../../system/person.ts'
import { fulfil } from '../fulfil.ts'
import { ask, instancesOf, must, someone, unlockedOperator } from '../scene.ts'
import { decided, described, lockTable, submit } from './acts.ts'
import type { Alarm, Witness } from './alarm.ts'

/** Room and connections that run out. */

const VOLUME = 'size=16m'
const LARGER_VOLUME = 'size=64m'

/** What a provocation leaves for its repair. */
const kept: { person?: Person; songId?: string; release?: () => void } = {}

const stagingOf = ({ stack }: Witness): string => join(stack.dataDir, 'storage-1/staging')

/** While storage is stopped. */
async function changeVolume(witness: Witness, command: 'mount' | 'umount', ...args: string[]): Promise<void> {
  const { program } = instancesOf(witness, 'storage')[0]!
  await program.stop()
  execFileSync(command, [...args, stagingOf(witness)])
  await program.start()
}

async function tryToFulfil(witness: Witness, when: string): Promise<number> {
  const answer = await fulfil(witness, await unlockedOperator(witness), kept.songId ?? '')
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
      kept.songId = await submit(witness, await someone(witness))
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
    how: 'a lock on the ledger while 24 people submit',
    provoke: async (witness) => {
      const people: Person[] = []
      for (let n = 0; n < 24; n++) people.push(await someone(witness))
      kept.release = await lockTable(witness, 'credits.account in access exclusive mode')
      const ids = await Promise.all(people.map((person) => submit(witness, person)))
      Object.assign(kept, { person: people[0], songId: ids[0] })
      witness.note(`the balance: ${described(await ask(witness, people[0]!, 'GET', '/api/credits'))}`)
    },
    repair: async (witness) => {
      kept.release?.()
      const ms = await decided(witness, kept.person!, kept.songId ?? '')
      witness.note(`a song is decided ${Math.round(ms / 1000)} s later`)
    },
  },
]
