import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const LOGGER = resolve(import.meta.dirname, '../src/logger.ts')
const PROGRAM = `
  import { createLogger } from ${JSON.stringify(LOGGER)}
  const logger = createLogger({ part: 'songs', level: 'info', pretty: false })
  for (let n = 0; n < 4000; n++) logger.info('x'.repeat(200))
  setTimeout(() => process.exit(3), 200)`

test('a process ends though nobody reads what it logs', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'], // opened, and never read
  })
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    expect(code).toBe(3)
  } finally {
    child.kill('SIGKILL')
  }
})
