import { statfs } from 'node:fs/promises'
import { counter, type Database, dependencyCalls, gauge } from '@prelude/platform'
import { draftMeasures, type DraftMeasures } from './draft-measures.ts'
import type { Generator } from './generator/port.ts'

interface StorageMeasures extends DraftMeasures {
  readonly calls: ReturnType<typeof dependencyCalls>
  readonly uploaded: (kind: 'form' | 'resumable') => (bytes: number) => void
}

/** Uploaded bytes, waiting analyses, free space of the staging volume, and drafts. */
export function storageMeasures(
  db: Database,
  stagingDir: string,
  generator: Generator | null,
): StorageMeasures {
  const calls = dependencyCalls()
  const uploads = counter(
    'prelude_upload_bytes_total',
    'Bytes of audio that were uploaded, in forms and resumable uploads.',
    ['kind'],
  )
  const analyses = gauge('prelude_analyses_waiting', 'Songs whose audio waits to be analysed.')
  const free = gauge('prelude_disk_free_bytes', 'Free bytes on the staging volume.')
  const size = gauge('prelude_disk_size_bytes', 'Size of the staging volume.')
  const drafts = draftMeasures(db, generator)
  return {
    ...drafts,
    metrics: [...drafts.metrics, calls, uploads, analyses, free, size],
    calls,
    uploaded: (kind) => (bytes) => uploads.inc({ kind }, bytes),
    read: async () => {
      await drafts.read()
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
