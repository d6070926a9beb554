import DataLoader from 'dataloader'
import { Unavailable } from './errors.ts'
import type { Tx } from './database/port.ts'

/** Answers in the order of its items. */
type Load<I, O> = (items: readonly I[]) => Promise<readonly O[]>

interface Waiting<I, O> {
  readonly item: I
  readonly resolve: (answer: O) => void
  readonly reject: (error: unknown) => void
}

/**
 * Batches concurrent calls per tick, like DataLoader; at most `concurrency` batches of at most `maxSize` are in flight,
 * and later calls form the next ones. Each item of a batch that fails is loaded again by itself, so that a bad one fails
 * alone; Unavailable is for all.
 */
export function batched<I, O>(
  load: Load<I, O>,
  { concurrency, maxSize }: { concurrency: number; maxSize: number },
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
  return (item) => loader.load(item)
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** The same for what handlers ask at the same time inside one transaction; an error is for all, as it is for the transaction. */
export function gatheredInTx<I, O>(
  load: (tx: Tx, items: readonly I[]) => Promise<readonly O[]>,
): (tx: Tx, item: I) => Promise<O> {
  const waiting = new WeakMap<Tx, Waiting<I, O>[]>()
  const start = async (tx: Tx, group: readonly Waiting<I, O>[]): Promise<void> => {
    waiting.delete(tx)
    const error = await settled(group, (items) => load(tx, items))
    if (error !== null) for (const { reject } of group) reject(error)
  }
  return (tx, item) =>
    new Promise<O>((resolve, reject) => {
      const group = waiting.get(tx) ?? []
      group.push({ item, resolve, reject })
      if (group.length > 1) return
      waiting.set(tx, group)
      process.nextTick(() => void start(tx, group))
    })
}

/** Hands out the answers; or answers the error, which is nobody's yet. */
async function settled<I, O>(group: readonly Waiting<I, O>[], load: Load<I, O>): Promise<unknown> {
  try {
    const answers = await load(group.map(({ item }) => item))
    group.forEach(({ resolve }, i) => resolve(answers[i] as O))
    return null
  } catch (error) {
    return error ?? new Error('nothing was thrown')
  }
}
