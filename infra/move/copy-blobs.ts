import { contentTypeOf, type BlobStore } from '@prelude/storage'

/** Names the file that holds this object in an earlier backup, if it is there with this size. */
export type Earlier = (path: string, sizeBytes: number) => Promise<string | null>

/**
 * Makes the target hold what the source holds: copies every object that is not there yet with its size, or takes it from an
 * earlier copy, and removes what a pass before this one copied and the source has lost since, unless it is recorded. So it
 * can be run again, and the second pass is short. Objects never change under their path. `formats` names the audio format of
 * each recorded path; `copied` collects the paths. Answers how many objects there are.
 */
export async function copyBlobs(
  source: BlobStore,
  target: BlobStore,
  {
    formats,
    earlier,
    copied,
  }: { formats: ReadonlyMap<string, string>; earlier: Earlier; copied: Set<string> },
): Promise<number> {
  const gone = new Set(copied)
  let count = 0
  for await (const { path, sizeBytes } of source.list('')) {
    count++
    gone.delete(path)
    if ((await target.head(path))?.sizeBytes === sizeBytes) continue
    const options = { sizeBytes, contentType: contentTypeOf(formats.get(path)) }
    const file = await earlier(path, sizeBytes)
    if (file !== null) await target.putFile(path, file, options)
    else {
      const bytes = await source.get(path)
      if (bytes === null) continue // deleted since it was listed
      await target.put(path, bytes, options)
    }
    copied.add(path)
  }
  for (const path of gone) if (!formats.has(path)) await target.delete(path)
  return count
}
