import { testLogger } from '@prelude/platform/testing'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runningIn, startOf, startProcess, stopLeftOver } from '../../native/server-process.ts'
import { supervise } from '../../stack/supervise.ts'

const POLL = { timeout: 10_000, interval: 20 }
let dir = ''

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'prelude-supervised-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const sleeper = () =>
  supervise(
    'sleeper',
    () =>
      startProcess({
        name: 'sleeper',
        dir,
        command: process.execPath,
        args: ['--eval', 'setInterval(() => {}, 1000)'],
        healthy: async () => {},
        readyWithinMs: 5_000,
      }),
    testLogger(),
  )

test('a process that exits by itself is started again; a stopped one stays down until it is started', async () => {
  const program = await sleeper()
  const first = program.pid()
  program.crash()
  await vi.waitFor(() => expect([null, first]).not.toContain(program.pid()), POLL)
  await program.stop()
  expect([program.pid(), await runningIn(dir)]).toEqual([null, null])
  await program.start()
  expect(await runningIn(dir)).toBe(program.pid())
  await program.kill()
  expect(program.pid()).toBeNull()
})

test('a left-over process is identified by its id and start time and stopped; another process with its id is not', async () => {
  const program = await sleeper()
  const pid = program.pid() ?? 0
  expect(startOf(pid)).not.toBe('')
  await stopLeftOver(dir)
  await vi.waitFor(() => expect(program.pid()).not.toBe(pid), POLL)
  await program.stop()
  expect(await runningIn(dir)).toBeNull()
  await writeFile(join(dir, 'server.pid'), `${process.pid} Thu Jan  1 00:00:00 1970\n`)
  expect(await runningIn(dir)).toBeNull()
  await stopLeftOver(dir)
})

test('what is started in the folder while a left-over process ends is left alone', async () => {
  const program = {
    name: 'sleeper',
    command: process.execPath,
    healthy: async () => {},
    readyWithinMs: 5_000,
  }
  const elsewhere = join(dir, 'elsewhere')
  const next = await startProcess({
    ...program,
    dir: elsewhere,
    args: ['--eval', 'setInterval(() => {}, 1000)'],
  })
  const handsOver = `
    const { copyFileSync, renameSync, writeFileSync } = require('node:fs')
    process.on('SIGTERM', () => {
      copyFileSync('elsewhere/server.pid', 'server.pid.new')
      renameSync('server.pid.new', 'server.pid')
      process.exit()
    })
    setInterval(() => {}, 1000)
    writeFileSync('ready', '')`
  const ready = join(dir, 'ready')
  await startProcess({ ...program, dir, args: ['--eval', handsOver], healthy: () => access(ready) })
  await stopLeftOver(dir)
  expect(await runningIn(dir)).toBe(next.pid)
  await next.stop()
})
