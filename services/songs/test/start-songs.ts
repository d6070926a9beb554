import { CreditsCharged, CreditsDeclined, type Song, songsApi } from '@prelude/contracts'
import { newId, timeIn } from '@prelude/platform'
import { placedObject, testService } from '@prelude/platform/testing'
import { createSongs, songsInvariants, type Terms } from '../src/index.ts'

export const TEXTS = { username: 'Ada', email: 'ada@example.com', lyrics: 'la la', style: 'slow folk' }
/** What every answer of credits has. */
export const ANSWER = { uid: 'u1', balance: 0, version: 1 }

export const startSongs = (config?: Terms) =>
  testService((deps) => createSongs({ ...deps, ...(config && { config }) }))
export type Songs = Awaited<ReturnType<typeof startSongs>>

/** Answers the id of a new song, of `u1` if not given. */
export async function request(
  songs: Songs,
  given: Partial<typeof TEXTS & { uid: string }> = {},
): Promise<string> {
  const id = newId()
  await songs.api(songsApi).request({ params: { id }, body: { uid: 'u1', ...TEXTS, ...given } })
  return id
}
export const charge = (songs: Songs, songId: string, uid = 'u1') =>
  songs.deliver(CreditsCharged, { songId, ...ANSWER, uid, amount: 1000, waited: false })
export const decline = (songs: Songs, songId: string) =>
  songs.deliver(CreditsDeclined, { songId, ...ANSWER, missing: 1000 })
export const fulfil = (songs: Songs, id: string, gift = false): Promise<Song> =>
  songs.api(songsApi).fulfil({
    params: { id },
    body: { gift, version1: placedObject(`${id}/1`), version2: placedObject(`${id}/2`) },
  })

/** The names of the invariants that do not hold. */
export async function brokenRules(songs: Songs): Promise<string[]> {
  const broken: string[] = []
  for (const { name, sql } of songsInvariants) {
    const { rowCount } = await songs.admin.query(sql, timeIn(sql, songs.clock.now()))
    if (rowCount > 0) broken.push(name)
  }
  return broken
}
