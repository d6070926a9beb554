import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** How often a process that receives 200 MB looked through its whole heap. */
async function looks(how: 'plain' | 'counted'): Promise<number> {
  const program = join(import.meta.dirname, 'garbage', 'receive.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, how])
  return Number(stdout.split(' ')[1])
}

test('bytes from the network do not make V8 look through the whole heap once buffers are counted with it', async () => {
  const [plain, counted] = [await looks('plain'), await looks('counted')]
  expect(plain).toBeGreaterThan(0)
  expect(counted).toBeLessThan(plain)
})
