import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderBlobs } from '../src/blobs/folder-blobs.ts'
import { blobsLarge } from './conformance/blobs.ts'

blobsLarge(async () => {
  const root = await mkdtemp(join(tmpdir(), 'prelude-blobs-'))
  return {
    blobs: folderBlobs({ root }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
})
