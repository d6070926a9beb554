import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../system/person.ts'
import { ask, type Asked, must, until, withDatabase } from '../scene.ts'
import type { Witness } from './alarm.ts'

/** What provocations and repairs do: as people at the public door, or as somebody with the password of the database's owner. */

const DECIDED_WITHIN_MS = 30_000

export const described = ({ status, ms }: Asked<unknown>): string =>
  `${status || 'no answer'} after ${Math.round(ms)} ms`

export const trySubmit = (witness: Witness, person: Person): Promise<Asked<{ id: string }>> =>
  ask(witness, person, 'POST', '/api/songs', { json: { lyrics: 'la', style: 'folk' } })

/** The id of a new song. */
export async function submit(witness: Witness, person: Person): Promise<string> {
  const { status, body } = await trySubmit(witness, person)
  must(status === 201, `a submit answers ${status}`)
  return body.id
}

export const chargeOf = async (witness: Witness, person: Person, id: string): Promise<string> =>
  (await ask<{ charge: string }>(witness, person, 'GET', `/api/songs/${id}`)).body.charge

/** Until it is charged or declined; answers after how many ms. */
export const decided = (witness: Witness, person: Person, id: string): Promise<number> =>
  until('the answer', DECIDED_WITHIN_MS, async () => {
    const charge = await chargeOf(witness, person, id)
    return charge === 'charged' || charge === 'declined' ? null : charge
  })

export const sql = (witness: Witness, ...statements: string[]): Promise<void> =>
  withDatabase(witness, async (query) => {
    for (const statement of statements) await query(statement)
  })

/** A session of somebody else that holds a lock, as in `songs.song in exclusive mode`, until it is released. */
export const lockTable = (witness: Witness, lock: string): Promise<() => void> =>
  new Promise((resolve, reject) => {
    withDatabase(witness, async (query) => {
      await query('begin')
      await query(`lock table ${lock}`)
      await new Promise<void>((release) => resolve(release))
      await query('rollback')
    }).catch(reject)
  })

/** Something done over and over until it is told to stop. */
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
