import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Loaded into a product under test before anything else (`NODE_OPTIONS=--import`): its clock is ahead by the milliseconds
 * in `CLOCK_FILE`, which is read again at SIGUSR2; what was read is written beside it. Timers are not touched.
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
