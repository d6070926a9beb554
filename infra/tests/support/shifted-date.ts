import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Shifts the clock of a product under test, loaded before its code (`NODE_OPTIONS=--import`): it is ahead by the milliseconds
 * in `CLOCK_FILE`, which is read at the start and again at SIGUSR2; the value is then written beside it. Long timers that are due then end, as
 * those of jobs; short ones, as those of requests under way, are not changed.
 */

const RealDate = Date
const file = process.env['CLOCK_FILE'] ?? ''
let aheadMs = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0

class ShiftedDate extends RealDate {
  constructor(...given: ConstructorParameters<DateConstructor> | []) {
    if (given.length === 0) super(ShiftedDate.now())
    else super(...given)
  }
  static override now(): number {
    return RealDate.now() + aheadMs
  }
}
globalThis.Date = ShiftedDate as DateConstructor

const LONG_MS = 60_000
const realSetTimeout = globalThis.setTimeout
const realClearTimeout = globalThis.clearTimeout
/** By timer: when it is due on the shifted clock, and what it calls. */
const long = new Map<unknown, { dueAt: number; call: () => void }>()

globalThis.setTimeout = Object.assign(
  (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const call = (): void => {
      long.delete(timer)
      callback(...args)
    }
    const timer = realSetTimeout(call, ms)
    if (ms >= LONG_MS) long.set(timer, { dueAt: Date.now() + ms, call })
    return timer
  },
  // with the promisified form
  realSetTimeout,
) as typeof setTimeout
globalThis.clearTimeout = (timer) => {
  long.delete(timer)
  realClearTimeout(timer)
}

process.on('SIGUSR2', () => {
  const text = readFileSync(file, 'utf8')
  aheadMs = Number(text)
  for (const [timer, { dueAt, call }] of long)
    if (dueAt <= Date.now()) {
      realClearTimeout(timer as NodeJS.Timeout)
      call()
    }
  writeFileSync(`${file}.read`, text)
})
