import { type Query, Unavailable } from '@prelude/platform'
import { type Format, formatNamed } from '../domain/audio/format.ts'
import { type DownloadName, downloadName, titledName } from '../domain/file-name.ts'
import { type Audio, findAudio } from '../store/audio.ts'

/** The objects with these paths, which a song names. Errors: Unavailable for one that was replaced since its song was read. */
export async function findObjects(query: Query, paths: readonly string[]): Promise<Audio[]> {
  const found = await findAudio(query, paths)
  if (found.length < paths.length)
    throw new Unavailable('storage', 'an object that a song named is not there')
  return found
}

/** The name of a download, after a title if one is given; else two versions of one name get different ones. */
export const nameOf = (audio: Audio, beside: Audio | undefined, title?: string): DownloadName =>
  title === undefined
    ? downloadName(audio.version, named(audio), beside && named(beside))
    : titledName(title, audio.version, formatOf(audio))

export const formatOf = ({ format }: Pick<Audio, 'format'>): Format => formatNamed(format) as Format

const named = (audio: Audio) => ({ originalName: audio.originalName, format: formatOf(audio) })

export const unavailable = (error: unknown): never => {
  throw new Unavailable('the object store', error)
}
