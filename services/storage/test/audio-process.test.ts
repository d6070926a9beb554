import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAudioProcess } from '../src/audio-process/audio-process.ts'
import { childrenOf } from './children-of.ts'
import { CORPUS } from './hostile/corpus.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prelude-audio-process-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function hostile(name: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, CORPUS.find((one) => one.name === name)?.make() ?? '')
  return file
}

/** Node's arguments for a program with an audio process that analyses the file. */
const programOn = (file: string, format: string): string[] => {
  const source = new URL('../src/audio-process/audio-process.ts', import.meta.url)
  const task = JSON.stringify({ file, format, durationMs: 10_000, channels: 2 })
  return [
    '--input-type=module',
    '--eval',
    `const { createAudioProcess } = await import('${source}')
     await createAudioProcess({ folder: '${dirname(file)}' }).analyze(${task}, new AbortController().signal)`,
  ]
}

test('a decoder that refuses each frame of a file prints nothing, and the program can end', async () => {
  const file = await hostile('frames that the decoder refuses.flac')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, programOn(file, 'flac'))
  expect([stdout, stderr]).toEqual(['', ''])
})

test('a file whose reading takes too long is refused', async () => {
  const audio = createAudioProcess({ folder, judgeLimitMs: 50 })
  const endless = join(folder, 'nothing writes here.mp3')
  await promisify(execFile)('mkfifo', [endless])
  const refused = audio.judge(endless)
  await expect(refused).rejects.toMatchObject({
    code: 'not_audio',
    cause: { message: 'reading it took 50 ms' },
  })
  audio.close()
})

test('the time of its start is not that of the file', async () => {
  const late = join(folder, 'late.mjs')
  const verdict = `{ format: 'mp3', durationMs: 1, bitrate: 1, channels: 2 }`
  await writeFile(
    late,
    `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
     process.send('ready')
     process.on('message', () => process.send({ done: ${verdict}, isSpent: false }))`,
  )
  const audio = createAudioProcess({ folder, judgeLimitMs: 900, program: pathToFileURL(late) })
  expect(await audio.judge(join(folder, 'any'))).toMatchObject({ durationMs: 1 })
  audio.close()
})

test('it reads the files of its folder alone', async () => {
  const audio = createAudioProcess({ folder })
  const elsewhere = await mkdtemp(`${folder}-`)
  try {
    const secret = join(elsewhere, 'secret')
    await writeFile(secret, 'a secret')
    await expect(audio.judge(secret)).rejects.toThrow('Access to this API has been restricted')
    await expect(audio.judge(join(import.meta.dirname, '../../../package.json'))).rejects.toThrow(
      'Access to this API has been restricted',
    )
  } finally {
    audio.close()
    await rm(elsewhere, { recursive: true })
  }
})

test.each([
  'null',
  '{ isSpent: false }',
  `{ done: { format: 'exe', durationMs: 1, bitrate: 1, channels: 2 }, isSpent: false }`,
  `{ done: { format: 'mp3', durationMs: -1, bitrate: 1, channels: 2 }, isSpent: false }`,
  `{ done: { flaw: {} }, isSpent: false }`,
])('an answer that a file may have made it give is refused, and the process ended: %s', async (answer) => {
  const lying = join(folder, 'lying.mjs')
  await writeFile(lying, `process.on('message', () => process.send(${answer}))`)
  const audio = createAudioProcess({ folder, program: pathToFileURL(lying) })
  await expect(audio.judge(join(folder, 'any'))).rejects.not.toHaveProperty('code')
  audio.close()
})

test('what is not the fault of a file does not refuse it', async () => {
  const audio = createAudioProcess({ folder })
  await expect(audio.judge(join(folder, 'absent'))).rejects.not.toHaveProperty('code')
  const judging = audio.judge(await hostile('15 MB of tiny ID3 frames.mp3'))
  audio.close()
  await expect(judging).rejects.toThrow('storage stops')
  const broken = createAudioProcess({ folder, niceness: 99 }) // ends at its start
  await expect(broken.judge(join(folder, 'absent'))).rejects.toThrow('the audio process ended with 1')
})

test.runIf(process.platform === 'linux')('one that is killed while it is idle is replaced', async () => {
  const audio = createAudioProcess({ folder })
  const file = fileURLToPath(new URL('fixtures/cbr.mp3', import.meta.url))
  const before = childrenOf(process.pid)
  await audio.judge(file)
  const own = childrenOf(process.pid).filter((pid) => !before.includes(pid))
  for (const pid of own) process.kill(pid, 'SIGKILL')
  await expect.poll(() => childrenOf(process.pid).filter((pid) => own.includes(pid))).toEqual([])
  expect(await audio.judge(file)).toMatchObject({ channels: 1 })
  audio.close()
})

test.runIf(process.platform === 'linux')(
  'it has nothing of our environment, and ends with the process that started it',
  async () => {
    const program = spawn(process.execPath, programOn('/dev/zero', 'wav'), { env: { SECRET: 'a secret' } })
    const child = () => childrenOf(program.pid ?? 0)[0]
    await expect.poll(child).toBeGreaterThan(0)
    const pid = child()
    await expect.poll(() => readFile(`/proc/${pid}/cmdline`, 'latin1')).toContain('audio-process/process.ts')
    expect(await readFile(`/proc/${pid}/environ`, 'latin1')).not.toContain('secret')
    program.kill('SIGKILL')
    await once(program, 'exit')
    await expect.poll(() => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')).toBe('')
  },
)
