import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Generator, GeneratorRequest, Look } from '../../src/generator/port.ts'

interface GeneratorUnderTest extends AsyncDisposable {
  readonly generator: Generator
  /** What goes wrong, for so long. */
  control(act: 'busy' | 'down' | 'lose' | 'fail' | 'slow', seconds: number): Promise<void>
  /** Moves the generator's clock. */
  pass(seconds: number): void
  /** After `down`. */
  up(): Promise<void>
}

const SIGNAL = new AbortController().signal
const REQUEST: GeneratorRequest = {
  lyrics: '[verse]\nla la',
  prompt: 'folk, gentle',
  bpm: 96,
  vocalLanguage: 'en',
  keepWords: true,
  again: null,
}

/** The rules of the port, by an adapter and a generator that plays what goes wrong. */
export function generatorConformance(make: () => Promise<GeneratorUnderTest>): void {
  const begin = async ({ generator }: GeneratorUnderTest, request: Partial<GeneratorRequest> = {}) => {
    const begun = await generator.begin({ ...REQUEST, ...request }, SIGNAL)
    if (begun.state !== 'begun') throw new Error(`${begun.state}: ${begun.error}`)
    return begun
  }
  const look = async ({ generator }: GeneratorUnderTest, taskId: string): Promise<Look | undefined> =>
    (await generator.look([taskId], SIGNAL)).get(taskId)
  const madeOf = async (under: GeneratorUnderTest, taskId: string) => {
    const seen = await look(under, taskId)
    if (seen?.state !== 'done') throw new Error(`it is ${seen?.state}`)
    const folder = await mkdtemp(join(tmpdir(), 'prelude-generator-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'made.wav')
    await under.generator.fetch(seen.file, file, SIGNAL)
    return { ...seen, path: file, bytes: await readFile(file) }
  }

  test('tasks are queued, made one after the other, and their files are different tunes', async () => {
    await using under = await make()
    const [one, two] = [await begin(under), await begin(under)]
    expect([one.queuePosition, two.queuePosition]).toEqual([1, 2])
    expect(await under.generator.load(SIGNAL)).toEqual({ queued: 1, meanJobMs: 2000 })
    expect(await under.generator.look([one.taskId, two.taskId], SIGNAL)).toEqual(
      new Map([
        [one.taskId, { state: 'making' }],
        [two.taskId, { state: 'queued' }],
      ]),
    )
    under.pass(4)
    const made = [await madeOf(under, one.taskId), await madeOf(under, two.taskId)]
    expect(made).toMatchObject(
      made.map(() => ({ seed: expect.any(Number), with: 'ACE-Step 1.5, acestep-v15-stand-in' })),
    )
    expect(made[0]?.bytes.subarray(0, 4).toString()).toBe('RIFF')
    expect(made[0]?.bytes.equals(made[1]!.bytes)).toBe(false)
  })

  test('a part that is made again changes that part alone', async () => {
    await using under = await make()
    const first = await begin(under)
    under.pass(2)
    const made = await madeOf(under, first.taskId)
    const second = await begin(under, { again: { file: made.path, fromMs: 1000, toMs: 2000 } })
    under.pass(2)
    const { bytes } = await madeOf(under, second.taskId)
    const seconds = (audio: Buffer, from: number, to: number) =>
      audio.subarray(44 + from * 176_400, 44 + to * 176_400)
    expect(bytes.length).toBe((await stat(made.path)).size)
    const same = [
      [0, 1],
      [1, 2],
      [2, 6],
    ].map(([from = 0, to = 0]) => seconds(bytes, from, to).equals(seconds(made.bytes, from, to)))
    expect(same).toEqual([true, false, true])
  })

  test('audio that cannot be read fails, and nothing is sent', async () => {
    await using under = await make()
    const again = { file: '/none/audio.wav', fromMs: 0, toMs: 1000 }
    expect(await under.generator.begin({ ...REQUEST, again }, SIGNAL)).toMatchObject({ state: 'failed' })
    expect(await under.generator.load(SIGNAL)).toMatchObject({ queued: 0 })
  })

  test('a generator that is busy or down takes nothing, and the same request may be sent again', async () => {
    await using under = await make()
    const { generator } = under
    const { taskId } = await begin(under)
    await under.control('busy', 5)
    expect(await generator.begin(REQUEST, SIGNAL)).toMatchObject({ state: 'busy' })
    under.pass(5)
    await under.control('down', 5)
    expect(await generator.begin(REQUEST, SIGNAL)).toMatchObject({ state: 'busy' })
    expect(await generator.load(SIGNAL)).toBeNull()
    expect(await look(under, taskId)).toBeUndefined()
    await expect(generator.fetch('/v1/audio?path=a.wav', '/none', SIGNAL)).rejects.toThrow('ECONNREFUSED')
    await under.up()
    await begin(under)
    expect(await look(under, taskId)).toMatchObject({ state: 'done' })
  })

  test('a task that it has forgotten, as one that it never had, is unclear', async () => {
    await using under = await make()
    const { taskId } = await begin(under)
    await under.control('lose', 0)
    expect(await look(under, taskId)).toEqual({ state: 'unclear' })
    expect(await look(under, 'never')).toEqual({ state: 'unclear' })
  })

  test('a task fails, and one that is slow is still being made', async () => {
    await using under = await make()
    const { taskId } = await begin(under)
    await under.control('fail', 1)
    under.pass(2)
    expect(await look(under, taskId)).toEqual({ state: 'failed', error: 'The job failed.' })
    await under.control('slow', 60)
    const slow = await begin(under)
    under.pass(59)
    expect(await look(under, slow.taskId)).toEqual({ state: 'making' })
    under.pass(1)
    expect(await look(under, slow.taskId)).toMatchObject({ state: 'done' })
  })

  test('a call ends with its signal', async () => {
    await using under = await make()
    const aborted = AbortSignal.abort(new Error('enough'))
    const { generator } = under
    await expect(generator.begin(REQUEST, aborted)).rejects.toThrow('enough')
    await expect(generator.look(['a'], aborted)).rejects.toThrow('enough')
    await expect(generator.load(aborted)).rejects.toThrow('enough')
    await expect(generator.fetch('/v1/audio?path=a.wav', '/none', aborted)).rejects.toThrow('enough')
  })
}
