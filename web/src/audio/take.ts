import type { Song } from '@prelude/contracts'
import type { PlayerChoice } from '../ui/overlays.ts'
import { play, positionWithin, stop } from './shared-audio.ts'

const songPrefix = (songId: string): string => `song/${songId}/`

/** The sound of one version of a song, of its newest take if none is given. */
export const takeSound = ({ songId, version, take }: PlayerChoice): { id: string; src: string } => {
  const src = `/api/songs/${songId}/versions/${version}`
  const id = `${songPrefix(songId)}${version}`
  return take === undefined ? { id, src } : { id: `${id}/${take}`, src: `${src}?take=${take}` }
}

/**
 * A sound of its own for the form for changes: closing the form pauses it, and not what the player plays. Its address names the
 * take: what the browser still loads of it would fail at the address of the newest take, once that is another file.
 */
export const changesSound = (
  { id: songId, takes }: Pick<Song, 'id' | 'takes'>,
  version: 1 | 2,
): { id: string; src: string } => ({
  id: `changes/${songId}/${version}`,
  src: takeSound({ songId, version, ...(takes && { take: takes[version] }) }).src,
})

/** The address that saves it under the song's title. */
export const saveAddress = (choice: PlayerChoice): string =>
  `${takeSound(choice).src}${choice.take === undefined ? '?' : '&'}download=1&as=title`

/** Plays a take from the start, or from where the other take of its song is. For handlers of gestures. */
export function playTake(choice: PlayerChoice): void {
  const { id, src } = takeSound(choice)
  play(id, src, { fromMs: positionWithin(songPrefix(choice.songId)), gain: 1 })
}

export const stopTakes = (): void => stop('song/')

/** Ends whatever plays of the songs of a person. */
export function stopSongs(): void {
  stopTakes()
  stop('changes/')
}
