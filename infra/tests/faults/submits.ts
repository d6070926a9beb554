import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../support/person.ts'
import { ask, type Reply, must, type Scene, until } from './scene.ts'

export interface Submits {
  /** By idempotency key, which is also the song's lyrics. */
  readonly accepted: ReadonlyMap<string, { readonly id: string; readonly uid: string }>
  /** Answers other than 201, by status. */
  readonly refused: ReadonlyMap<number, number>
  slowestMs(): number
  /** Resolves when all are accepted; a refused one is sent again under its idempotency key. */
  readonly done: Promise<void>
}

const GIVE_UP_AFTER_MS = 90_000

/** Starts to submit `each` songs for each person, `atOnce` at a time, or evenly over `overMs`. */
export function submits(
  scene: Scene,
  people: readonly Person[],
  each: number,
  pace: { atOnce?: number; overMs?: number } = {},
): Submits {
  const accepted = new Map<string, { id: string; uid: string }>()
  const refused = new Map<number, number>()
  let slowestMs = 0
  const began = Date.now()
  const all = Array.from({ length: each }, () => people)
    .flat()
    .map((person, n) => ({
      person,
      key: randomUUID(),
      at: began + (n * (pace.overMs ?? 0)) / (each * people.length),
    }))

  const submit = async ({ person, key, at }: (typeof all)[number]): Promise<void> => {
    await delay(Math.max(0, at - Date.now()))
    const deadline = Date.now() + GIVE_UP_AFTER_MS
    for (;;) {
      const json = { lyrics: key, style: 'folk' }
      const { status, ms, body } = await ask<{ id: string }>(scene, person, 'POST', '/api/songs', {
        json,
        key,
      })
      slowestMs = Math.max(slowestMs, ms)
      if (status === 201) return void accepted.set(key, { id: body.id, uid: person.uid })
      refused.set(status, (refused.get(status) ?? 0) + 1)
      must(Date.now() < deadline, `a submit is refused for ${GIVE_UP_AFTER_MS / 1000} s: ${status}`)
      await delay(250)
    }
  }
  const waiting = [...all]
  const workers = Array.from({ length: pace.atOnce ?? 16 }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await submit(next)
  })
  const done = Promise.all(workers).then(() => {})
  done.catch(() => {}) // the drill awaits it
  return { accepted, refused, slowestMs: () => slowestMs, done }
}

interface Song {
  readonly id: string
  readonly lyrics: string
  readonly charge: string
}

interface Page {
  readonly items: Song[]
  readonly nextCursor: string | null
}

export async function songsOf(scene: Scene, person: Person): Promise<Song[]> {
  const songs: Song[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/songs?limit=100${cursor ? `&cursor=${cursor}` : ''}`
    const { status, body }: Reply<Page> = await ask<Page>(scene, person, 'GET', path)
    must(status === 200, `the album answers ${status}`)
    songs.push(...body.items)
    cursor = body.nextCursor
  }
  return songs
}

/** Checks that every accepted submit is one song, and that `charged` songs of each person are charged and the others wait. */
export async function eachOnce(
  scene: Scene,
  people: readonly Person[],
  { accepted }: Submits,
  charged: number,
): Promise<void> {
  for (const person of people) {
    const own = new Map([...accepted].filter(([, { uid }]) => uid === person.uid))
    await until('every song charged once or waiting', 60_000, async () => {
      const songs = await songsOf(scene, person)
      must(songs.length === own.size, `${own.size} submits were accepted and there are ${songs.length} songs`)
      for (const { lyrics, id } of songs)
        must(own.get(lyrics)?.id === id, 'a song is not the one that was answered')
      const count = (charge: string): number => songs.filter((song) => song.charge === charge).length
      return count('charged') === charged && count('declined') === songs.length - charged
        ? null
        : `${count('charged')} charged, ${count('declined')} wait, ${count('deciding')} undecided`
    })
  }
}

export const describeRefusals = ({ refused }: Submits): string =>
  refused.size === 0
    ? 'none refused'
    : `${[...refused].map(([status, n]) => `${n} ${status || 'cut off'}`).join(', ')}, sent again`
