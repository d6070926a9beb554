import { testClock } from '@prelude/platform/test-clock'
import { runProduct } from '../../embedded/run-product.ts'

/**
 * The whole product in one process with a clock that its test moves: it starts `CLOCK_AHEAD_MS` ahead, and passes each number of
 * milliseconds that comes over the IPC channel, then sends it back.
 */
const clock = testClock(Date.now() + Number(process.env['CLOCK_AHEAD_MS']))
process.on('message', (ms: number) => {
  clock.pass(ms)
  process.send?.(ms)
})
await runProduct(clock)
