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
 * Makes one piece of work of calls that come at the same time: those of one turn of the event loop go together, and while
 * `atOnce` loads are on their way the next ones gather. Nobody waits for a clock. When a load of several fails, each is
 * done by itself, so that a bad one spoils nothing for the others; Unavailable is for all.
 */
export function gathered<I, O>(
  load: Load<I, O>,
  { atOnce, most }: { atOnce: number; most: number },
): (item: I) => Promise<O> {
  const waiting: Waiting<I, O>[] = []
  let active = 0
  let scheduled = false

  const settle = async (group: readonly Waiting<I, O>[]): Promise<void> => {
    const error = await settled(group, load)
    if (error === null) return
    if (group.length === 1 || error instanceof Unavailable) for (const { reject } of group) reject(error)
    else for (const one of group) await settle([one])
  }
  const start = (): void => {
    scheduled = false
    while (active < atOnce && waiting.length > 0) {
      active++
      void settle(waiting.splice(0, most)).finally(() => {
        active--
        schedule()
      })
    }
  }
  const schedule = (): void => {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(start)
  }
  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}

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
