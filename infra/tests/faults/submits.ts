import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@prelude/platform/eventually'
import { allSongs, type Person } from '../support/person.ts'
import { ask, must } from './calls.ts'
import type { Scene } from './scene.ts'

export interface Submits {
  /** By idempotency key, which is also the song's lyrics. */
  readonly accepted: ReadonlyMap<string, { readonly id: string; readonly uid: string }>
  /** Statuses other than 201. */
  readonly refused: readonly number[]
  /** Resolves when all are accepted; a refused one is sent again under its idempotency key. */
  readonly done: Promise<unknown>
}

const AT_ONCE = 8

/** Starts to submit `each` songs for each person, evenly over `overMs`. */
export function submits(scene: Scene, people: readonly Person[], each: number, overMs = 0): Submits {
  const accepted = new Map<string, { id: string; uid: string }>()
  const refused: number[] = []
  const began = Date.now()
  const waiting = Array.from({ length: each }, () => people)
    .flat()
    .map((person, n) => ({ person, key: randomUUID(), at: began + (n * overMs) / (each * people.length) }))
  const submit = ({ person, key }: (typeof waiting)[number]): Promise<void> =>
    eventually(async () => {
      const sending = { json: { lyrics: key, style: 'folk' }, key }
      const { status, body } = await ask<{ id: string }>(scene, person, 'POST', '/api/songs', sending)
      if (status === 201) return void accepted.set(key, { id: body.id, uid: person.uid })
      refused.push(status)
      await delay(250)
      throw new Error(`a submit answers ${status}`)
    })
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await delay(Math.max(0, next.at - Date.now()))
      await submit(next)
    }
  })
  const done = Promise.all(workers)
  done.catch(() => {}) // the drill awaits it
  return { accepted, refused, done }
}

/** Checks that every accepted submit is one song, and that `charged` songs of each person are charged and the others wait. */
export async function eachOnce(
  people: readonly Person[],
  { accepted }: Submits,
  charged: number,
): Promise<void> {
  for (const person of people) {
    const own = new Map([...accepted].filter(([, { uid }]) => uid === person.uid))
    await eventually(async () => {
      const songs = await allSongs(person)
      must(songs.length === own.size, `${own.size} submits were accepted and there are ${songs.length} songs`)
      for (const { lyrics, id } of songs)
        must(own.get(lyrics)?.id === id, 'a song is not the one that was answered')
      const count = (charge: string): number => songs.filter((song) => song.charge === charge).length
      must(
        count('charged') === charged && count('declined') === songs.length - charged,
        `${count('charged')} charged, ${count('declined')} wait, ${count('deciding')} undecided`,
      )
    })
  }
}
