import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { freePort, reserve } from '../servers/server-process.ts'

const MODULE = resolve(import.meta.dirname, '../servers/server-process.ts')

test('a port is given to one process, before a server listens at it', async () => {
  const port = await freePort()
  expect(await reserve(port)).toBe(false)
  const elsewhere = `import(${JSON.stringify(MODULE)}).then(async ({ reserve }) => console.log(await reserve(${port})))`
  expect(execFileSync(process.execPath, ['--eval', elsewhere], { encoding: 'utf8' })).toBe('false\n')
})
