import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../system/person.ts'
import { hangHandlers } from '../hang-handlers.ts'
import { ask, instancesOf, someone, until } from '../scene.ts'
import { submits } from '../submits.ts'
import { decided, described, lockTable, sql, submit } from './acts.ts'
import type { Alarm, Witness } from './alarm.ts'

/** Events that get stuck. */

const ROOT = resolve(import.meta.dirname, '../../..')

/** `make replay`, on these servers. */
function replay({ stack, note }: Witness): void {
  const env = { ...process.env, DATABASE_ADMIN_URL: stack.servers.adminUrl }
  const said = execFileSync(process.execPath, ['infra/embedded/replay.ts'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  })
  note(`make replay: ${said.trim().replaceAll('\n', ' / ')}`)
}

/** Somebody whose first song every part has had time to see. */
async function knownPerson(witness: Witness): Promise<Person> {
  const person = await someone(witness)
  await submit(witness, person)
  await delay(2_000)
  return person
}

/** What a provocation leaves for its repair. */
const kept: { person?: Person; songId?: string; release?: () => void } = {}

async function untilDecided(witness: Witness): Promise<void> {
  const { person, songId } = kept as Required<typeof kept>
  const ms = await decided(witness, person, songId)
  witness.note(`the song is decided ${Math.round(ms / 1000)} s later`)
}

export const EVENTS: readonly Alarm[] = [
  {
    alerts: ['PreludeDeadLetters'],
    how: 'credits cannot handle an event of somebody',
    provoke: async (witness) => {
      const person = await knownPerson(witness)
      await sql(
        witness,
        `insert into credits.parked_key (topic, key) values ('prelude.songs', '${person.uid}')`,
      )
      Object.assign(kept, { person, songId: await submit(witness, person) })
    },
    repair: replay,
  },
  {
    alerts: ['PreludeConsumerLagging', 'PreludeChargeUndecided'],
    how: 'a lock on the ledger holds credits up while 1,200 songs are submitted',
    provoke: async (witness) => {
      const people = await Promise.all(Array.from({ length: 4 }, () => someone(witness)))
      kept.release = await lockTable(witness, 'credits.account in exclusive mode')
      await submits(witness, people, 300).done
      await sql(witness, `update songs.song set created_at = created_at - 400000 where charge = 'deciding'`)
    },
    repair: () => kept.release?.(),
  },
  {
    alerts: ['PreludeConsumerStalled'],
    how: 'a fault in credits: its handlers never come to an end',
    provoke: async (witness) => {
      const credits = instancesOf(witness, 'credits')[0]!
      const log = join(witness.stack.dataDir, credits.program.name, `${credits.program.name}.log`)
      kept.release = await hangHandlers(credits.program.pid() ?? 0, log)
      kept.person = await someone(witness)
      kept.songId = await submit(witness, kept.person)
      const isHealthy = async (): Promise<boolean> => (await fetch(`${credits.address}/healthz`)).ok
      const ms = await until('bad health', 90_000, async () => ((await isHealthy()) ? 'it is well' : null))
      witness.note(`/healthz is 503 after ${Math.round(ms / 1000)} s`)
    },
    repair: async (witness) => {
      kept.release?.()
      instancesOf(witness, 'credits')[0]!.program.crash()
      await untilDecided(witness)
    },
  },
  {
    alerts: ['PreludeLiveFeedBehind'],
    how: 'Redis answers each time 300 ms late while 1,200 songs are submitted',
    provoke: async (witness) => {
      const people = await Promise.all(Array.from({ length: 4 }, () => someone(witness)))
      witness.stack.links.redis?.slow(300)
      const sending = submits(witness, people, 300, { atOnce: 64 })
      await sending.done
      const album = await ask(witness, people[0]!, 'GET', '/api/songs')
      witness.note(
        `the slowest submit took ${Math.round(sending.slowestMs())} ms; the album: ${described(album)}`,
      )
    },
    repair: ({ stack }) => stack.links.redis?.slow(0),
  },
]
