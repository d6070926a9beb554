import { fileURLToPath } from 'node:url'
import { ConfigError } from '@prelude/platform'
import { folderBlobs } from './folder-blobs.ts'
import type { BlobStore } from './port.ts'
import { s3Blobs } from './s3-blobs.ts'

/** BlobStore: audio, in a folder or an S3 store. */
export type { BlobInfo, BlobStore } from './port.ts'

/**
 * `BLOBS_URL`: file:// (a folder), s3://key:secret@host:port/bucket?region=…&tls=….
 * `publicUrl`: the origin under which browsers reach the S3 store, if they do. Errors: ConfigError for another scheme.
 */
export function openBlobs(url: string, options: { publicUrl?: string | undefined } = {}): BlobStore {
  if (url.startsWith('file:')) return folderBlobs({ root: fileURLToPath(url) })
  if (url.startsWith('s3:')) return s3Blobs({ url, ...options })
  throw new ConfigError('Bad settings: BLOBS_URL must be file:///… or s3://….')
}
