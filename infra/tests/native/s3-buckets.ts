import { randomUUID } from 'node:crypto'
import { type BlobStore, openBlobs } from '@prelude/storage'

/** A store with a bucket of its own on the S3 server at this URL. */
export function ownBucket(server: string): AsyncDisposable & { blobs: BlobStore; bucket: string } {
  const url = new URL(server)
  const bucket = `test-${randomUUID()}`
  url.pathname = `/${bucket}`
  const blobs = openBlobs(url.href, { publicUrl: `http://${url.host}` })
  return { blobs, bucket, [Symbol.asyncDispose]: () => blobs.close() }
}
