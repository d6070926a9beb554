import { statfs } from 'node:fs/promises'
import { counter, type Database, dependencyCalls, gauge, type Measures } from '@prelude/platform'

interface StorageMeasures extends Measures {
  readonly calls: ReturnType<typeof dependencyCalls>
  readonly uploaded: (kind: 'form' | 'resumable') => (bytes: number) => void
}

/** Uploaded bytes, waiting analyses, and free space of the staging volume. */
export function storageMeasures(db: Database, stagingDir: string): StorageMeasures {
  const calls = dependencyCalls()
  const uploads = counter({
    name: 'prelude_upload_bytes_total',
    help: 'Bytes of audio that were uploaded, in forms and resumable uploads.',
    labelNames: ['kind'],
  })
  const analyses = gauge({
    name: 'prelude_analyses_waiting',
    help: 'Songs whose audio waits to be analysed.',
  })
  const free = gauge({
    name: 'prelude_disk_free_bytes',
    help: 'Free bytes on the staging volume.',
  })
  const size = gauge({ name: 'prelude_disk_size_bytes', help: 'Size of the staging volume.' })
  return {
    metrics: [calls, uploads, analyses, free, size],
    calls,
    uploaded: (kind) => (bytes) => uploads.inc({ kind }, bytes),
    read: async () => {
      const { bavail, blocks, bsize } = await statfs(stagingDir)
      free.set(bavail * bsize)
      size.set(blocks * bsize)
      const { rows } = await db.query<{ waiting: number }>(
        'select count(*) as waiting from analysis where not done',
      )
      analyses.set(rows[0]?.waiting ?? 0)
    },
  }
}
