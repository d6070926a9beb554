import type { PlayerChoice } from '../ui/overlays.ts'
import { play, positionWithin, stop } from './shared-audio.ts'

const songPrefix = (songId: string): string => `song/${songId}/`

/** The sound of one version of a song. */
export const takeSound = ({ songId, version }: PlayerChoice): { id: string; src: string } => ({
  id: `${songPrefix(songId)}${version}`,
  src: `/api/songs/${songId}/versions/${version}`,
})

/** Plays a take from the start, or from where the other take of its song is. For handlers of gestures. */
export function playTake(choice: PlayerChoice): void {
  const { id, src } = takeSound(choice)
  play(id, src, { fromMs: positionWithin(songPrefix(choice.songId)), gain: 1 })
}

export const stopTakes = (): void => stop('song/')
