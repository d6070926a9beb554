import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { otherProcess } from '../support/other-process.ts'
import { lockInstance } from '../../embedded/instance-lock.ts'
import { StartError } from '../../embedded/start-error.ts'

const PRELUDE = { name: 'prelude', what: 'Prelude' }

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-lock-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const holder = (dir: string) =>
  otherProcess(`
    import { lockInstance } from ${JSON.stringify(new URL('../../embedded/instance-lock.ts', import.meta.url).href)}
    try {
      lockInstance(${JSON.stringify(dir)}, ${JSON.stringify(PRELUDE)})
      console.log('held')
      setInterval(() => undefined, 1000)
    } catch (error) {
      console.log(error.message)
    }`)

test('a second start on the same folder is refused with a sentence that names the first process', async () => {
  const dir = await folder()
  const first = await holder(dir)
  expect(first.line).toBe('held')
  expect(() => lockInstance(dir, PRELUDE)).toThrow(
    new StartError(`Prelude is already running on ${dir} (process ${first.child.pid}); stop it first.`),
  )
  await first.kill()
})

test('a killed holder leaves no lock behind', async () => {
  const dir = await folder()
  await (await holder(dir)).kill()
  const lock = lockInstance(dir, PRELUDE)
  expect((await holder(dir)).line).toContain(`(process ${process.pid})`)
  lock.release()
})

test('a left-over file with the process id of another program is not taken for a lock', async () => {
  const dir = await folder()
  await writeFile(join(dir, 'prelude.pid'), `${process.ppid}\n`)
  const lock = lockInstance(dir, PRELUDE)
  expect(await readFile(join(dir, 'prelude.pid'), 'utf8')).toBe(`${process.pid}\n`)
  lock.release()
})

test('the same process cannot take the lock twice, and a refused attempt does not release it', async () => {
  const dir = await folder()
  const lock = lockInstance(dir, PRELUDE)
  expect(() => lockInstance(dir, PRELUDE)).toThrow(StartError)
  expect((await holder(dir)).line).toContain('already running')
  lock.release()
  const again = lockInstance(dir, PRELUDE)
  lock.release() // no effect: the lock is held by `again` now
  expect(() => lockInstance(dir, PRELUDE)).toThrow(StartError)
  again.release()
})

test('a file where the folder should be is refused with a sentence', async () => {
  const file = join(await folder(), 'data')
  await writeFile(file, '')
  expect(() => lockInstance(file, PRELUDE)).toThrow(StartError)
})
