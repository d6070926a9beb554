import { eventually } from '@prelude/platform/eventually'
import { testLogger } from '@prelude/platform/testing'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runningIn, startOf, startProcess, stopLeftOver } from '../../native/server-process.ts'
import { supervise } from '../../stack/supervise.ts'

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
      }),
    testLogger(),
  )

test('a process that exits by itself is started again; a stopped one stays down until it is started', async () => {
  const program = await sleeper()
  const first = program.pid()
  program.crash()
  await eventually(() => expect([null, first]).not.toContain(program.pid()))
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
  await eventually(() => expect(program.pid()).not.toBe(pid))
  await program.stop()
  expect(await runningIn(dir)).toBeNull()
  await writeFile(join(dir, `server.${process.pid}.pid`), 'Thu Jan  1 00:00:00 1970')
  expect(await runningIn(dir)).toBeNull()
  await stopLeftOver(dir)
})

test('what is started in the folder while a left-over process ends is left alone', async () => {
  const program = {
    name: 'sleeper',
    command: process.execPath,
    healthy: async () => {},
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
      copyFileSync('elsewhere/server.${next.pid}.pid', 'unfinished')
      renameSync('unfinished', 'server.${next.pid}.pid')
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

test('a program that cannot be run, or that exits, has not started, also when its port answers', async () => {
  const program = { name: 'failing', dir: join(dir, 'failing'), args: ['--eval', 'process.exit(1)'] }
  const answersOnceItHasExited = () => eventually(async () => expect(await runningIn(program.dir)).toBeNull())
  const exits = { ...program, command: process.execPath, healthy: answersOnceItHasExited }
  await expect(startProcess(exits)).rejects.toThrow('failing did not start')
  await expect(
    startProcess({ ...program, command: 'no-such-program', healthy: async () => {} }),
  ).rejects.toThrow('no-such-program cannot be run')
  expect(await runningIn(program.dir)).toBeNull()
})
