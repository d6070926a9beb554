import { PLACEMENT_MS, type PlacedObject, type Take } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { SongState } from './song.ts'

export type NewTake = Pick<Take, 'version'> & { readonly object: PlacedObject }

/** The take that is played as this version. */
export const newestTake = (takes: readonly Take[], version: number): Take | undefined =>
  takes.filter((one) => one.version === version).toSorted((a, b) => b.take - a.take)[0]

/** Each object becomes the newest take of its version. Errors: upload_failed for an object that storage may have removed. */
export function addedTakes(takes: readonly Take[], added: readonly NewTake[], at: number): readonly Take[] {
  return added.reduce<readonly Take[]>(
    (all, { version, object }) => [
      ...all,
      takeOf({ version, take: (newestTake(all, version)?.take ?? 0) + 1 }, object, at),
    ],
    takes,
  )
}

/** Errors: song_not_ready, upload_failed. */
export function withTakes<S extends SongState>(song: S, added: readonly NewTake[], at: number): S {
  assertReady(song)
  return changed(song, addedTakes(song.takes, added, at), at)
}

/**
 * The object takes the place of the take whose path is `replaces`. A call that comes late, when another replacement was
 * faster, is refused: it would bring an older recording back.
 * Errors: song_not_ready, fulfilment_in_progress, upload_failed.
 */
export function withReplacedTake<S extends SongState>(
  song: S,
  { version, replaces, object }: NewTake & { readonly replaces: string },
  at: number,
): S {
  assertReady(song)
  const replaced = song.takes.find((one) => one.version === version && one.path === replaces)
  if (!replaced) throw new AppError('fulfilment_in_progress')
  const take = takeOf(replaced, object, at)
  return changed(
    song,
    song.takes.map((one) => (one === replaced ? take : one)),
    at,
  )
}

/** Errors: song_not_ready. */
function assertReady({ status }: SongState): void {
  if (status !== 'ready') throw new AppError('song_not_ready')
}

/** Strictly later than before, so that players and caches see that the audio is another one. */
const changed = <S extends SongState>(song: S, takes: readonly Take[], at: number): S => ({
  ...song,
  takes,
  updatedAt: Math.max(at, (song.updatedAt ?? 0) + 1),
})

function takeOf({ version, take }: Pick<Take, 'version' | 'take'>, object: PlacedObject, at: number): Take {
  const { id: objectId, placedAt, made = null, ...facts } = object
  if (placedAt < at - PLACEMENT_MS) throw new AppError('upload_failed')
  return { version, take, objectId, ...facts, made }
}
