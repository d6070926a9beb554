import type { BlobStore } from '@prelude/platform'
import { contentTypeOf } from '@prelude/storage'

/**
 * Copies every object that is not there yet with its size, so that it can be run again. Answers how many there are.
 * `formats` names the audio format of a path, as storage recorded it.
 */
export async function copyBlobs(
  source: BlobStore,
  target: BlobStore,
  formats: ReadonlyMap<string, string>,
): Promise<number> {
  let count = 0
  for await (const { path, sizeBytes } of source.list('')) {
    count++
    if ((await target.head(path))?.sizeBytes === sizeBytes) continue
    const bytes = await source.get(path)
    if (bytes) await target.put(path, bytes, { sizeBytes, contentType: contentTypeOf(formats.get(path)) })
  }
  return count
}
