import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Shifts the clock of a product under test, loaded before its code (`NODE_OPTIONS=--import`): it is ahead by the milliseconds
 * in `CLOCK_FILE`, which is read again at SIGUSR2; the value is then written beside it. Timers are not changed.
 */

const RealDate = Date
const file = process.env['CLOCK_FILE'] ?? ''
let aheadMs = 0

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

process.on('SIGUSR2', () => {
  const text = readFileSync(file, 'utf8')
  aheadMs = Number(text)
  writeFileSync(`${file}.read`, text)
})
