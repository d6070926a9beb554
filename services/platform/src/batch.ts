import DataLoader from 'dataloader'
import { Unavailable } from './errors.ts'
import { within } from './within.ts'

/** Answers in the order of its items. */
type Load<I, O> = (items: readonly I[]) => Promise<readonly O[]>

/**
 * Batches concurrent calls per tick, like DataLoader; at most `concurrency` batches of at most `maxSize` are in flight,
 * and later calls form the next ones. The items of a batch that fails are loaded one by one, so that only a bad one fails;
 * Unavailable is for all. With `timeoutMs`, so is a call that has no answer after it, also while it waits for its batch.
 */
export function batched<I, O>(
  load: Load<I, O>,
  { concurrency, maxSize, timeoutMs }: { concurrency: number; maxSize: number; timeoutMs?: number },
): (item: I) => Promise<O> {
  const backlog: (() => void)[] = []
  let inFlight = 0
  const start = (): void => {
    for (; inFlight < concurrency && backlog.length > 0; inFlight++) backlog.shift()?.()
  }
  const loadAll = async (items: readonly I[]): Promise<readonly (O | Error)[]> => {
    try {
      return await load(items)
    } catch (error) {
      if (items.length === 1 || error instanceof Unavailable) throw error
      const answers: (O | Error)[] = []
      for (const item of items) answers.push(await load([item]).then(([answer]) => answer as O, asError))
      return answers
    } finally {
      inFlight--
      setImmediate(start)
    }
  }
  const loader = new DataLoader<I, O>(loadAll, {
    cache: false,
    maxBatchSize: maxSize,
    batchScheduleFn: (dispatch) => {
      backlog.push(dispatch)
      setImmediate(start)
    },
  })
  if (timeoutMs === undefined) return (item) => loader.load(item)
  return (item) => within(timeoutMs, loader.load(item), () => new Unavailable('a batched statement'))
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
