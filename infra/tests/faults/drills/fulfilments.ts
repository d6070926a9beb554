import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import type { Person } from '../../support/person.ts'
import { fulfil } from '../fulfil.ts'
import {
  type Drill,
  instancesOf,
  must,
  type Scene,
  settle,
  someone,
  unlockedOperator,
  until,
} from '../scene.ts'
import { songsOf, submits } from '../submits.ts'

const SONGS = 24
const AT_ONCE = 4
/** Longer than a call between services may take. */
const FROZEN_MS = 12_000
const READY_WITHIN_MS = 120_000

const FIXTURES = resolve(import.meta.dirname, '../../../../services/storage/test/fixtures')

interface Fulfilments {
  /** Answers other than 200, by status; each was sent again. */
  readonly refused: Map<number, number>
  ready: number
  readonly done: Promise<unknown>
}

/** Fulfils the songs, some at a time; a refused one again until the song is ready. */
function fulfilments(scene: Scene, operator: Person, ids: readonly string[]): Fulfilments {
  const waiting = [...ids]
  const refused = new Map<number, number>()
  const fulfilOne = (id: string) =>
    until(`song ${id} is ready`, READY_WITHIN_MS, async () => {
      const { status, body } = await fulfil(scene, operator, id)
      // after an answer that was lost, or a call that went on behind it, the song is ready already
      if (status === 200 || body.code === 'song_already_ready') return null
      refused.set(status, (refused.get(status) ?? 0) + 1)
      return `${status} ${body.code ?? ''}`
    })
  const load: Fulfilments = {
    refused,
    ready: 0,
    done: Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          await fulfilOne(id)
          load.ready++
        }
      }),
    ),
  }
  load.done.catch(() => {}) // the drill awaits it
  return load
}

/** Both versions of every song are the files that were sent. */
async function bothVersions(scene: Scene, operator: Person, ids: readonly string[]): Promise<void> {
  const files = await Promise.all(['cbr.mp3', 'tone.flac'].map((name) => readFile(join(FIXTURES, name))))
  for (const id of ids)
    for (const [i, file] of files.entries()) {
      const address = new URL(`/api/songs/${id}/versions/${i + 1}`, scene.stack.endpoints.web)
      const reply = await fetch(address, { headers: { cookie: operator.cookie } })
      const bytes = Buffer.from(await reply.arrayBuffer())
      must(reply.status === 200, `version ${i + 1} of a ready song answers ${reply.status}`)
      must(bytes.equals(file), `version ${i + 1} of a song is not the file that was sent`)
    }
}

const drill = (name: string, fault: (scene: Scene) => void): Drill => ({
  name,
  run: async (scene) => {
    const [person, operator] = [await someone(scene), await unlockedOperator(scene)]
    await submits(scene, [person], SONGS).done
    await settle(scene) // no charge is undecided
    const ids = (await songsOf(scene, person)).map(({ id }) => id)
    const load = fulfilments(scene, operator, ids)
    await until('the first fulfilments', 60_000, () => (load.ready >= AT_ONCE ? null : `${load.ready}`))
    fault(scene)
    await load.done
    await settle(scene)
    await bothVersions(scene, operator, ids)
    const refused = [...load.refused].map(([status, n]) => `${n} ${status || 'cut off'}`).join(', ')
    scene.note(`${SONGS} songs ready, both versions play; ${refused || 'none'} refused and sent again`)
  },
})

const killed = (service: ServiceName): Drill =>
  drill(`${service}: one instance killed -9 in the middle of ${SONGS} fulfilments`, (scene) =>
    instancesOf(scene, service)[0]?.program.crash(),
  )

const frozen = (service: ServiceName): Drill =>
  drill(`${service}: one instance frozen for 12 s in the middle of ${SONGS} fulfilments`, (scene) => {
    const program = instancesOf(scene, service)[0]?.program
    program?.freeze()
    setTimeout(() => program?.thaw(), FROZEN_MS)
  })

export const fulfilling: readonly Drill[] = SERVICE_NAMES.flatMap((name) => [killed(name), frozen(name)])
