import { limitCores } from './limit-cores.ts'
import { run } from './run.ts'

/** The tests of the gate three times, in random order, with half of the processor. */

const TIMES = 3
const CORES = 1

await limitCores('shuffled', CORES)
for (let time = 1; time <= TIMES; time++) {
  const { code } = await run(['node', 'infra/tests/gate/main.ts'], { env: { SHUFFLE: 'yes' } })
  if (code !== 0) process.exit(code)
}
