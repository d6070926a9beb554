import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { aceStep } from '../src/generator/ace-step.ts'
import type { Limits } from '../src/generator/exchange.ts'
import { type GeneratorRequest, NotConnected } from '../src/generator/port.ts'

const SIGNAL = new AbortController().signal
const REQUEST: GeneratorRequest = {
  lyrics: 'la',
  prompt: 'folk',
  bpm: null,
  vocalLanguage: null,
  keepWords: false,
  again: null,
}
const SHORT = { silenceMs: 100 }
const FILE = '/v1/audio?path=%2Ftmp%2Fa.mp3'

type Answers = (request: IncomingMessage, response: ServerResponse) => void

/** A server that answers so, and all that it was asked for. */
async function serve(answers: Answers) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answers(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

async function against(
  answers: Answers,
  { limits = {}, options = {} }: Partial<Parameters<typeof aceStep>[0]> = {},
) {
  const { url, asked } = await serve(answers)
  const small = { jsonBytes: 10_000, fileBytes: 10_000 }
  return { generator: aceStep({ url, key: 'secret', options, limits: { ...small, ...limits } }), asked }
}

const says =
  (body: unknown, status = 200): Answers =>
  (_request, response) =>
    void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))

/** Sends for ever, a byte or much at a time. */
const endless =
  (chunk: string, everyMs: number): Answers =>
  (_request, response) => {
    const timer = setInterval(() => response.write(chunk), everyMs)
    response.once('close', () => clearInterval(timer))
  }
const breaks: Answers = (request) => request.socket.destroy()
const breaksMidway: Answers = (request, response) =>
  void response.writeHead(200, { 'content-length': 100 }).write('{"data":', () => request.socket.destroy())
const silent: Answers = () => {}
const silentMidway: Answers = (_request, response) => void response.writeHead(200).write('{')

const NEVER_SENT_AGAIN: readonly (readonly [string, Answers, Partial<Limits>?])[] = [
  ['breaks', breaks],
  ['breaks in the middle', breaksMidway],
  ['is silent', silent, SHORT],
  ['is silent in the middle', silentMidway, SHORT],
  ['comes a byte at a time', endless(' ', 20), { answerMs: 200 }],
  ['never ends', endless('x'.repeat(10_000), 1)],
  ['is no JSON', says('<html>')],
  ['is JSON without a task', says({ data: [], code: 200 })],
  ['names a task that is none', says({ data: { task_id: 'a\r\nb' }, code: 200 })],
  ['nests without end', says('['.repeat(9_000))],
  ['is of a proxy', says('', 502)],
]
test.for(NEVER_SENT_AGAIN)(
  'a request whose answer %s is lost, and other calls answer nothing',
  async ([, answers, limits]) => {
    const { generator, asked } = await against(answers, { limits })
    expect(await generator.begin(REQUEST, SIGNAL)).toMatchObject({ state: 'lost' })
    expect(await generator.look(['a'], SIGNAL)).toEqual(new Map())
    expect(await generator.load(SIGNAL)).toBeNull()
    expect(asked).toEqual(['POST /release_task', 'POST /query_result', 'GET /v1/stats'])
  },
)

test('a refusal is a failure with its reason; a full queue is none', async () => {
  const begun = async (body: unknown, status?: number) =>
    (await against(says(body, status))).generator.begin(REQUEST, SIGNAL)
  const failed = (why: string) => ({ state: 'failed', error: `The generator refused it: ${why}` })
  expect(await begun({ data: { task_id: 'a' }, code: 500, error: 'no model' })).toEqual(failed('no model'))
  expect(await begun({ detail: 'Invalid\n API\0 key' }, 401)).toEqual(failed('Invalid API key'))
  expect(await begun('Internal Server Error', 500)).toEqual(failed('it answered 500'))
  expect(await begun({ error: '😀'.repeat(1_000) }, 400)).toEqual(failed('😀'.repeat(200)))
  expect(await begun({ detail: 'queue is full' }, 429)).toMatchObject({ state: 'busy' })
  expect(await begun('', 503)).toMatchObject({ state: 'busy' })
})

test('a request that found no connection may be sent again', async () => {
  const mute = createTcpServer()
  await once(mute.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void mute.close())
  const { port } = mute.address() as AddressInfo
  // it accepts, and never completes a handshake
  const { begin, fetch } = aceStep({
    url: `https://127.0.0.1:${port}`,
    key: null,
    options: {},
    limits: { connectMs: 100 },
  })
  expect(await begin(REQUEST, SIGNAL)).toMatchObject({ state: 'busy' })
  await expect(fetch(FILE, '/none', SIGNAL)).rejects.toBeInstanceOf(NotConnected)
})

test('redirects are not followed, and the key goes to the one origin alone', async () => {
  const other = await serve(says({ data: { task_id: 'a' } }))
  const { generator, asked } = await against((_request, response) =>
    response.writeHead(307, { location: `${other.url}/release_task` }).end(),
  )
  expect(await generator.begin(REQUEST, SIGNAL)).toMatchObject({ state: 'failed' })
  expect(await generator.look(['a'], SIGNAL)).toEqual(new Map())
  await expect(generator.fetch(FILE, '/none', SIGNAL)).rejects.toThrow('it answered 307')
  expect([asked.length, other.asked]).toEqual([3, []])
})

test('options are merged, and replace nothing of the task, in no spelling', async () => {
  let sent: unknown
  let key: string | undefined
  const { generator } = await against(
    (request, response) => {
      key = request.headers.authorization
      void text(request).then((body) => {
        sent = JSON.parse(body)
        says({ data: { task_id: 'a', queue_position: 3 }, code: 200 })(request, response)
      })
    },
    {
      options: {
        ...{ inference_steps: 8, audio_format: 'flac', key: 'C major', use_cot_caption: true },
        ...{ lyrics: 'x', caption: 'x', Prompt: 'x', 'task-type': 'cover', taskType: 'cover', batchSize: 8 },
        ...{ ai_token: 'x', src_audio_path: '/etc/passwd', ctxAudioPath: 'x', reference_audio: 'x' },
        ...{ sample_query: 'x', desc: 'x', use_format: true, metas: { lyrics: 'x' }, param_obj: '{}' },
        ...{ repainting_end: 3, audio_code_string: 'x', vocal_language: 'unknown' },
      },
    },
  )
  const begun = await generator.begin({ ...REQUEST, bpm: 90, keepWords: true }, SIGNAL)
  expect(begun).toEqual({ state: 'begun', taskId: 'a', queuePosition: 3 })
  expect(key).toBe('Bearer secret')
  expect(sent).toEqual({
    ...{ inference_steps: 8, audio_format: 'flac', key: 'C major', vocal_language: 'unknown' },
    ...{ lyrics: 'la', prompt: 'folk', bpm: 90, use_cot_caption: false },
    ...{ task_type: 'text2music', batch_size: 1 },
  })
})

const DONE = [{ file: FILE, seed_value: '12,34', dit_model: 'turbo' }]
const LOOKS: readonly [status: unknown, result: unknown, look: unknown][] = [
  [0, '[]', { state: 'unclear' }],
  [0, '[{"stage": "queued"}]', { state: 'queued' }],
  [0, '[{"stage": "running", "progress": 0.5}]', { state: 'making' }],
  [0, 'nonsense', undefined],
  [0, '{}', undefined],
  [0, null, undefined],
  [1, JSON.stringify(DONE), { state: 'done', file: FILE, seed: 12, with: 'ACE-Step 1.5, turbo' }],
  [
    1,
    JSON.stringify([{ file: FILE, seed_value: '1e99', dit_model: 'm'.repeat(300) }]),
    expect.objectContaining({ seed: 1, with: expect.stringMatching(/^ACE-Step 1\.5, m{86}$/) }),
  ],
  [
    1,
    JSON.stringify([{ file: FILE, seed_value: 1e99 }]),
    { state: 'done', file: FILE, seed: null, with: 'ACE-Step 1.5' },
  ],
  [1, '[]', { state: 'failed', error: 'The generator made no file.' }],
  [1, JSON.stringify([{ file: `${FILE}\0` }]), { state: 'failed', error: 'The generator made no file.' }],
  [1, 'nonsense', { state: 'failed', error: 'The generator made no file.' }],
  [2, '[{"error": "out of memory"}]', { state: 'failed', error: 'out of memory' }],
  [2, null, { state: 'failed', error: 'The generator failed.' }],
  [3, '[{}]', undefined],
  ['1', JSON.stringify(DONE), undefined],
]
test('each task is read for itself, whatever the answer holds beside it', async () => {
  const tasks = LOOKS.map(([status, result], n) => ({ task_id: `t${n}`, status, result }))
  const data = [null, 7, ...tasks, { task_id: 'not asked for', status: 1, result: JSON.stringify(DONE) }]
  const ids = tasks.map(({ task_id }) => task_id)
  const look = async (answer: unknown) => (await against(says(answer))).generator.look(ids, SIGNAL)
  const looks = await look({ data, code: 200 })
  expect(ids.map((id) => looks.get(id))).toEqual(LOOKS.map(([, , expected]) => expected))
  expect(looks.has('not asked for')).toBe(false)
  expect(await look({ data, code: 500 })).toEqual(new Map())
})

test.for([
  [
    { queue_size: 3, avg_job_seconds: 8.5 },
    { queued: 3, meanJobMs: 8500 },
  ],
  [
    { queue_size: 0, avg_job_seconds: 'x' },
    { queued: 0, meanJobMs: null },
  ],
  [
    { queue_size: 0, avg_job_seconds: 1e300 },
    { queued: 0, meanJobMs: null },
  ],
  [{ queue_size: -1, avg_job_seconds: 1 }, null],
  [[], null],
])('its load %j is %j', async ([data, load]) => {
  expect(await (await against(says({ data, code: 200 }))).generator.load(SIGNAL)).toEqual(load)
})

const NOT_FETCHED = [
  '',
  '/v1/audio',
  '/v1/audio?path=',
  '/etc/passwd',
  'http://other.example/v1/audio?path=a',
  '//other.example/v1/audio?path=a',
  '/v1/audio?path=../a',
  '/v1/audio?path=%2Ftmp%2F..%2Fa',
  '/v1/audio?path=%2e%2e/a',
  '/v1/audio?path=a%5C..%5Cb',
  '/v1/audio?path=%252e%252e%252fa',
  '/v1/audio?path=a%0D%0Ab',
  '/v1/audio?path=a\r\nhost: other',
  '/v1/audio?path=a%00',
  '/v1/audio?path=a%zz',
  '/v1/audio?path=%ff',
  '/v1/audio?path=a&path=b',
  '/v1/audio?path=a#b',
  '/v1/audio?path=a@other.example',
  '/v1/audio/../x?path=a',
  `/v1/audio?path=${'a'.repeat(3000)}`,
]
test('a file is fetched by the one path alone', async () => {
  const { generator, asked } = await against(says('audio'))
  for (const file of NOT_FETCHED)
    await expect(generator.fetch(file, '/none', SIGNAL)).rejects.toThrow('it named none')
  expect(asked).toEqual([])
})

const BAD_FILES: readonly (readonly [string, Answers, string, Partial<Limits>?])[] = [
  ['is not there', says('', 404), 'it answered 404'],
  ['never ends', endless('x'.repeat(10_000), 1), 'longer than 10000 bytes'],
  ['is silent', silent, 'nothing came for 0.1 s', SHORT],
  ['is silent in the middle', silentMidway, 'nothing came for 0.1 s', SHORT],
  ['breaks', breaksMidway, 'its connection broke'],
]
test.for(BAD_FILES)('a file that %s fails', async ([, answers, why, limits]) => {
  const { generator } = await against(answers, { limits })
  await expect(generator.fetch(FILE, await freeFile(), SIGNAL)).rejects.toThrow(why)
})

test('a file may take longer than another answer', async () => {
  const slowly: Answers = (_request, response) => {
    let sent = 0
    const timer = setInterval(() => {
      response.write('x')
      if (++sent < 10) return
      clearInterval(timer)
      response.end()
    }, 20)
  }
  const { generator, asked } = await against(slowly, { limits: { answerMs: 50 } })
  const file = await freeFile()
  await generator.fetch(FILE, file, SIGNAL)
  expect(asked).toEqual([`GET ${FILE}`])
  expect(await readFile(file, 'utf8')).toBe('x'.repeat(10))
})

async function freeFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-generator-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'file')
}
