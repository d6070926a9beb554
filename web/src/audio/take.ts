import type { Song } from '@prelude/contracts'
import type { PlayerChoice } from '../state/overlays.ts'
import { play, positionWithin, stop } from './shared-audio.ts'

/** What identifies the audio files of a song. */
type Files = Pick<Song, 'id' | 'takes' | 'updatedAt'>

/**
 * Identifies the file of a version, of its newest take if none is given. A newest take can be replaced by another file:
 * `updatedAt`, which changes with each delivery and replacement, tells the two apart.
 */
export function fileOf(
  { id, takes, updatedAt }: Files,
  version: 1 | 2,
  given?: number,
): { readonly id: string; readonly query: string } {
  const newest = takes?.[version] ?? 1
  const take = given ?? newest
  const query = take === newest ? `?take=${take}&at=${updatedAt}` : `?take=${take}`
  return { id: `${id}/${version}${query}`, query }
}

/** The address of a version as a link, which stays right when its file is replaced. */
export const versionAddress = ({ song, version, take }: PlayerChoice): string =>
  `/api/songs/${song.id}/versions/${version}${take === undefined ? '' : `?take=${take}`}`

/** The address that saves it under the song's title. */
export const saveAddress = (choice: PlayerChoice): string =>
  `${versionAddress(choice)}${choice.take === undefined ? '?' : '&'}download=1&as=title`

interface Sound {
  readonly id: string
  /** Names the file as `id` does: browsers reuse what they have loaded from an address. */
  readonly src: string
}

/** The file of a version as a sound of the player, or of the form for changes, which is paused alone when it closes. */
export function takeSound({ song, version, take }: PlayerChoice, of: 'song' | 'changes' = 'song'): Sound {
  const { id, query } = fileOf(song, version, take)
  return { id: `${of}/${id}`, src: `/api/songs/${song.id}/versions/${version}${query}` }
}

/** Plays a take from where its song is, so that takes can be compared, else from where its slider was put. For handlers of gestures. */
export function playTake(choice: PlayerChoice): void {
  const { id, src } = takeSound(choice)
  const fromMs = positionWithin(`song/${choice.song.id}/`)
  play(id, src, fromMs === 0 ? { gain: 1 } : { fromMs, gain: 1 })
}

export const stopTakes = (): void => stop('song/')

/** Ends whatever plays of the songs of a person. */
export function stopSongs(): void {
  stopTakes()
  stop('changes/')
}
