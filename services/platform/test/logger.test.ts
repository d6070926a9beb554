import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src/observability')
const IMPORTS = `
  import { existsSync, writeSync } from 'node:fs'
  import { createLogger } from ${JSON.stringify(`${SRC}/logger.ts`)}
  import { droppedLines } from ${JSON.stringify(`${SRC}/standard-output.ts`)}
  const logger = createLogger({ service: 'songs', level: 'info', pretty: false })
  const say = (words) => writeSync(2, words)`
/** More than a pipe holds. */
const MUCH = `for (let n = 0; n < 4000; n++) logger.info('x'.repeat(200))`

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** A process that logs; its standard output is a pipe that nobody reads yet, and standard error is for the test. */
function run(program: string): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${IMPORTS}\n${program}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  return child
}

const codeOf = async (child: ChildProcess): Promise<number | null> =>
  ((await once(child, 'exit')) as [number | null])[0]

test('what is logged last is written before the process ends, in order', async () => {
  const child = run(`for (let n = 0; n < 1000; n++) logger.info({ n })
    process.exit(0)`)
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual([...Array(1000).keys()])
})

test('a process ends though nobody reads its log', async () => {
  const child = run(`${MUCH}
    setTimeout(() => process.exit(3), 200)`)
  expect(await codeOf(child)).toBe(3)
})

test('a process ends though the reader of its log goes away just then', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'prelude-logger-'))
  const gone = join(dir, 'gone')
  try {
    // polls without returning to the event loop, in which the process would notice
    const child = run(`${MUCH}
      setTimeout(() => {
        say('full')
        while (!existsSync(${JSON.stringify(gone)}));
        process.exit(3)
      }, 200)`)
    await once(child.stderr, 'data')
    child.stdout.destroy()
    await once(child.stdout, 'close')
    writeFileSync(gone, '')
    expect(await codeOf(child)).toBe(3)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('a process goes on though its log cannot be written', async ({ skip }) => {
  skip(!existsSync('/dev/full'), 'this machine has no /dev/full')
  const full = openSync('/dev/full', 'w')
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', `${IMPORTS}\n${MUCH}\nsetTimeout(() => process.exit(3), 200)`],
    { stdio: ['ignore', full, 'pipe'] },
  )
  started.push(child)
  closeSync(full)
  expect(await codeOf(child)).toBe(3)
})

test('unread lines are kept up to a limit; dropped ones are counted, and the log says so', async () => {
  const all = 40_000
  const child = run(`
    for (let n = 0; n < ${all}; n++) logger.info('x'.repeat(1000))
    say(String(droppedLines()))
    setInterval(() => {}, 60_000) // stays
    process.once('SIGUSR2', () => { logger.info('later'); process.exit(0) })`)
  const [said] = (await once(child.stderr, 'data')) as [Buffer]
  const dropped = Number(said)
  expect(dropped).toBeGreaterThan(all / 2)

  const read: { msg: string; lines?: number }[] = []
  let rest = ''
  child.stdout.on('data', (data: Buffer) => {
    const lines = `${rest}${data.toString()}`.split('\n')
    rest = lines.pop() ?? ''
    read.push(...lines.map((line) => JSON.parse(line) as { msg: string }))
    if (read.at(-1)?.lines !== undefined) child.kill('SIGUSR2')
  })
  await once(child, 'close')
  expect(read.slice(-2)).toEqual([
    expect.objectContaining({ level: 40, lines: dropped, msg: 'log lines dropped: they were not read' }),
    expect.objectContaining({ msg: 'later' }),
  ])
  expect(read.length - 2 + dropped).toBe(all)
})

test('an error in the log is its message and code, without what it quotes', async () => {
  const child = run(`
    const quoting = (message, more) => Object.assign(new Error(message), more)
    const database = (code, message) => quoting(message, { code, severity: 'ERROR', detail: 'Failing row contains (planted)',
      where: "unnamed portal parameter $1 = 'planted'", table: 'song', constraint: 'song_check' })
    for (const err of [
      database('23514', 'new row for relation "song" violates check constraint "song_check"'),
      database('22P02', 'invalid input syntax for type uuid: "planted"'),
      database('42601', 'syntax error in tsquery: "planted"'),
      quoting('All recipients were rejected', { code: 'EENVELOPE', rejected: ['planted@prelude.test'] }),
      new Error('a call failed', { cause: database('22P02', 'invalid input syntax for type json: planted') }),
    ]) logger.error({ err }, 'failed')
    try { JSON.parse('planted') } catch (err) { logger.error({ err }, 'failed') }
    process.exit(0)`)
  const written = await text(child.stdout)
  expect(written).not.toContain('planted')
  const errors = written
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { err: object }).err)
  expect(errors[0]).toEqual({
    type: 'Error',
    message: 'new row for relation "song" violates check constraint "song_check"',
    stack: expect.stringContaining('violates check constraint'),
    code: '23514',
    table: 'song',
    constraint: 'song_check',
  })
  expect(errors[3]).toMatchObject({ message: 'All recipients were rejected', code: 'EENVELOPE' })
  expect(errors[4]).toMatchObject({ message: 'a call failed', cause: { code: '22P02' } })
})
