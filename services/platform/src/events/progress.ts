import type { Database } from '../database/index.ts'
import { CursorMoved, type Move, moveCursor, type Partition, readCursor } from './cursor.ts'

/** How long the cursor may lag behind events that this service ignores; saves a commit for each batch of them. */
const IDLE_CURSOR_LINGER_MS = 5_000

/** Where a partition's cursor is stored, and how far beyond it only ignored events were read. */
export interface Progress {
  readonly partition: Partition
  stored: number
  reached: number
  ignored: number
  /** A batch is being handled: it moves the cursor itself. */
  active: boolean
  /** The cursor is being written without a batch; the next batch waits for it. */
  writing: Promise<void>
}

interface Positioned {
  readonly position: number
}

/** The cursors of a consumer. Those that lag only behind ignored events are written together, after a linger. */
interface Progresses {
  /** Read from the database when it is not known. */
  of(partition: Partition): Promise<Progress>
  /** Read it from the database next time. */
  drop(partition: Partition): void
  /** These events are not for this service: the cursor follows them later. */
  ignore(progress: Progress, events: readonly Positioned[]): void
  /** No cursor is written after a linger any more. */
  abort(): void
  /** Writes the cursors that lag only behind ignored events, where no batch is being handled. */
  writeIdle(): Promise<void>
}

const nameOf = ({ topic, partition }: Pick<Partition, 'topic' | 'partition'>): string =>
  `${topic} ${partition}`

export function createProgresses(db: Database): Progresses {
  const known = new Map<string, Progress>()
  let linger: NodeJS.Timeout | undefined
  let isAborted = false

  const writeSoon = (): void => {
    if (!isAborted) linger ??= setTimeout(() => void writeIdle(), IDLE_CURSOR_LINGER_MS)
  }
  /** During an outage the ignored events stay counted, for the next batch or the next write. Errors: CursorMoved. */
  const write = async (progress: Progress): Promise<void> => {
    const { partition, stored: from, reached: to, ignored: taken } = progress
    if (to === from) return
    try {
      await moveCursor(db, partition, { from, to, taken })
      Object.assign(progress, { stored: to, ignored: progress.ignored - taken })
    } catch (error) {
      if (error instanceof CursorMoved) throw error
      writeSoon()
    }
  }
  const writeIdle = async (): Promise<void> => {
    clearTimeout(linger)
    linger = undefined
    const idle = [...known.values()].filter(({ active, stored, reached }) => !active && reached > stored)
    await Promise.all(
      idle.map((progress) => {
        progress.writing = progress.writing.then(() => write(progress))
        // the next batch rejects with it
        return progress.writing.catch(() => {})
      }),
    )
  }

  return {
    of: async (partition) => {
      const found = known.get(nameOf(partition))
      if (found) return found
      const stored = await readCursor(db, partition)
      const progress = {
        partition,
        stored,
        reached: stored,
        ignored: 0,
        active: false,
        writing: Promise.resolve(),
      }
      known.set(nameOf(partition), progress)
      return progress
    },
    drop: (partition) => void known.delete(nameOf(partition)),
    ignore: (progress, events) => {
      progress.ignored += events.length
      progress.reached = events.at(-1)?.position ?? progress.reached
      if (progress.ignored > 0) writeSoon()
    },
    abort: () => {
      isAborted = true
    },
    writeIdle,
  }
}

/** The move of the cursor past these events and the ignored ones before them. */
export const movePast = ({ stored, ignored }: Progress, events: readonly Positioned[]): Move => ({
  from: stored,
  to: events.at(-1)?.position ?? stored,
  taken: events.length + ignored,
})

/** The cursor has been moved in a transaction. */
export const moved = (progress: Progress, { to }: Move): void =>
  void Object.assign(progress, { stored: to, reached: to, ignored: 0 })
