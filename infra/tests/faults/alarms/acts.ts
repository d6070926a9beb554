import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../support/person.ts'
import { ask, must, type Reply, type Scene, until, withDatabase } from '../scene.ts'

/** Steps of provocations and repairs: requests at the public endpoint, and SQL as the database's owner. */

const DECIDED_WITHIN_MS = 30_000

export const described = ({ status, ms }: Reply<unknown>): string =>
  `${status || 'no answer'} after ${Math.round(ms)} ms`

export const trySubmit = (scene: Scene, person: Person): Promise<Reply<{ id: string }>> =>
  ask(scene, person, 'POST', '/api/songs', { json: { lyrics: 'la', style: 'folk' } })

/** The id of a new song. */
export async function submit(scene: Scene, person: Person): Promise<string> {
  const { status, body } = await trySubmit(scene, person)
  must(status === 201, `a submit answers ${status}`)
  return body.id
}

export const chargeOf = async (scene: Scene, person: Person, id: string): Promise<string> =>
  (await ask<{ charge: string }>(scene, person, 'GET', `/api/songs/${id}`)).body.charge

/** Waits until the song is charged or declined; answers after how many ms. */
export const decided = (scene: Scene, person: Person, id: string): Promise<number> =>
  until('the charge', DECIDED_WITHIN_MS, async () => {
    const charge = await chargeOf(scene, person, id)
    return charge === 'charged' || charge === 'declined' ? null : charge
  })

export const sql = (scene: Scene, ...statements: string[]): Promise<void> =>
  withDatabase(scene, async (query) => {
    for (const statement of statements) await query(statement)
  })

/** Holds a lock in a database session of its own, as `songs.song in exclusive mode`, until the returned function is called. */
export const lockTable = (scene: Scene, lock: string): Promise<() => void> =>
  new Promise((resolve, reject) => {
    withDatabase(scene, async (query) => {
      await query('begin')
      await query(`lock table ${lock}`)
      await new Promise<void>((release) => resolve(release))
      await query('rollback')
    }).catch(reject)
  })

/** Repeats `work` until the returned function is called. */
export function repeat(work: () => Promise<unknown>): () => void {
  let going = true
  void (async () => {
    while (going) {
      await work().catch(() => {})
      await delay(100)
    }
  })()
  return () => {
    going = false
  }
}
