import { readFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { type Placed, type Problem, UPLOAD_SILENCE_MS } from '@prelude/contracts'
import { newId, registerProblems } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import multipart from '@fastify/multipart'
import Fastify from 'fastify'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { buffer, json } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DELETE_AGAIN_MS } from '../src/delete-object.ts'
import { endWhenSilent } from '../src/routes/end-when-silent.ts'
import { readParts } from '../src/routes/read-parts.ts'
import type { Stage } from '../src/staging.ts'
import { fixture, largeWav } from './fixtures.ts'
import {
  bothVersions,
  FORM_END,
  formOf,
  PART_END,
  partHead,
  startStorage,
  type Storage,
  streamedForm,
} from './system.ts'

/** Of a sender, after which its request is ended. */
const SILENCE_MS = UPLOAD_SILENCE_MS + 15_000
/** After which a put that does not end is given up. */
const PUT_GIVEN_UP_MS = 91_000

async function expectNothingLeft(storage: Storage): Promise<void> {
  expect(await storage.objects()).toEqual([])
  expect(await storage.staged()).toEqual([])
  expect((await storage.admin.query('select path from audio')).rows).toEqual([])
}
const pathsOf = (reply: { json<T>(): T }): string[] => reply.json<Placed>().objects.map(({ path }) => path)

test('both versions are judged, recorded and put under the paths of the specification', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const before = await storage.clock.databaseNow(storage.db)
  const reply = await storage.postBoth(
    songId,
    formOf({
      version1: [await fixture('cbr.mp3'), 'Größe 1.mp3'],
      version2: [await fixture('tone.flac'), 'two.wav'],
    }),
  )
  expect(reply.statusCode).toBe(200)
  const paths = pathsOf(reply)
  expect(paths).toEqual([`songs/${songId}/version1_Groe_1.mp3`, `songs/${songId}/version2_two.flac`])
  const object = await storage.blobs.get(paths[0] ?? '')
  expect(object && (await buffer(object))).toEqual(await fixture('cbr.mp3'))
  const { rows } = await storage.admin.query(
    'select version, state, original_name, format, size_bytes, sha256, duration_ms from audio order by path',
  )
  const bytes = await fixture('cbr.mp3')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const [object1, object2] = reply.json<Placed>().objects
  expect(object1).toMatchObject({ contentType: 'audio/mpeg', sizeBytes: bytes.length, sha256 })
  expect(object2).toMatchObject({ contentType: 'audio/flac', durationMs: 1600 })
  expect(object1?.placedAt).toBeGreaterThanOrEqual(before)
  expect(object1?.placedAt).toBeLessThanOrEqual(await storage.clock.databaseNow(storage.db))
  expect(rows[0]).toMatchObject({
    version: 1,
    state: 'placed',
    original_name: 'Größe 1.mp3',
    format: 'mp3',
    size_bytes: bytes.length,
    sha256,
  })
  expect(rows[1]).toMatchObject({ format: 'flac', original_name: 'two.wav', duration_ms: 1600 })
  expect(await storage.staged()).toEqual([])
})

const audio = await fixture('vbr.mp3')
const html = Buffer.from(`<!doctype html><p>${'la '.repeat(9000)}`)
type WrongForm = [string, FormData, number, string]
/** Both versions, with these parts after them. */
const withMade = (...made: [string, string?][]): FormData =>
  formOf({ version1: [audio, 'a.mp3'], version2: [audio, 'b.mp3'], made })
const WRONG_FORMS: WrongForm[] = [
  ['no part at all', formOf({}), 400, 'both_versions_required'],
  ['one part', formOf({ version1: [audio, 'a.mp3'] }), 400, 'both_versions_required'],
  [
    'an empty file',
    formOf({ version1: [audio, 'a.mp3'], version2: ['', 'b.mp3'] }),
    400,
    'both_versions_required',
  ],
  ['a text field', formOf({ version1: [audio, 'a.mp3'], version2: ['text'] }), 400, 'both_versions_required'],
  [
    'a part twice',
    formOf({
      version1: [audio, 'a.mp3'],
      version2: [
        [audio, 'b.mp3'],
        [audio, 'c.mp3'],
      ],
    }),
    400,
    'invalid_request',
  ],
  [
    'one part twice without the other',
    formOf({
      version1: [
        [audio, 'a.mp3'],
        [audio, 'b.mp3'],
      ],
    }),
    400,
    'both_versions_required',
  ],
  ['HTML', formOf({ version1: [audio, 'a.mp3'], version2: [html, 'b.mp3'] }), 415, 'not_audio'],
  [
    'a text of how it was made, before what is no audio',
    formOf({ made: ['AI'], version1: [audio, 'a.mp3'], version2: [html, 'b.mp3'] }),
    400,
    'invalid_request',
  ],
  [
    'how a missing file was made',
    formOf({ made: ['{"2":{"how":"ai"}}'], version1: [audio, 'a.mp3'] }),
    400,
    'both_versions_required',
  ],
  ...[
    'null',
    '[]',
    '{"3":null}',
    '{"1":"ai"}',
    '{"1":{"how":"robot"}}',
    '{"1":{"how":"ai","with":5}}',
    `{"1":{"how":"ai","with":"${'🎵'.repeat(101)}"}}`,
  ].map((made): WrongForm => [made, withMade([made]), 400, 'invalid_request']),
  ['a NUL in it', withMade(['{"1":{"how":"ai","with":"\\u0000"}}']), 400, 'invalid_text'],
  ['a file of it', withMade(['{}', 'made.json']), 400, 'invalid_request'],
  ['two of it', withMade(['{}'], ['{}']), 400, 'invalid_request'],
  [
    'a truncated file',
    formOf({ version1: [audio, 'a.mp3'], version2: [audio.subarray(0, 1500), 'b.mp3'] }),
    415,
    'not_audio',
  ],
]
test('a form without two takes is refused and leaves nothing', async () => {
  await using storage = await startStorage()
  for (const [what, form, status, code] of WRONG_FORMS) {
    const reply = await storage.postBoth(newId(), form)
    expect([what, reply.statusCode, reply.json<Problem>().code]).toEqual([what, status, code])
    await expectNothingLeft(storage)
  }
})

test('a text that says of itself that it is JSON, and is not, is judged in its place or ignored', async () => {
  await using storage = await startStorage()
  const noJson = (name: string) =>
    Buffer.from(
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\ncontent-type: application/json\r\n\r\n{\r\n`,
    )
  const file = (name: string) => [partHead(name, 'a.mp3'), audio, PART_END]
  const codeOf = async (...parts: Buffer[]) => {
    const url = `/songs/${newId()}/placements`
    const reply = await storage.inject({ method: 'POST', url, ...streamedForm([...parts, FORM_END]) })
    return reply.json<Partial<Problem>>().code
  }
  const both = [...file('version1'), ...file('version2')]
  expect(await codeOf(noJson('made'), ...file('version1'))).toBe('both_versions_required')
  expect(await codeOf(noJson('made'), ...both)).toBe('invalid_request')
  expect(await codeOf(noJson('version2'), ...file('version1'))).toBe('both_versions_required')
  expect(await codeOf(noJson('other'), ...both)).toBeUndefined()
})

test('how each file was made stands before or after the files, and is said of its object', async () => {
  await using storage = await startStorage()
  const madeIn = async (path: string, form: FormData) =>
    (await storage.post(`/songs/${newId()}/${path}`, form)).json<Placed>().objects.map(({ made }) => made)
  const tool = '🎵'.repeat(100)
  const before = formOf({ made: [`{"1":{"how":"ai","with":"${tool}"},"2":{"how":"people","with":" "}}`] })
  for (const [name, value] of await bothVersions()) before.append(name, value)
  expect(await madeIn('placements', before)).toEqual([
    { how: 'ai', with: tool },
    { how: 'people', with: null },
  ])
  expect(await madeIn('placements', withMade(['{"1":null,"2":{"how":"assisted"}}']))).toEqual([
    null,
    { how: 'assisted', with: null },
  ])
  const [file, made] = [[audio, 'a.mp3'] as const, ['{"2":{"how":"ai"}}'] as const]
  expect(await madeIn('placements/some', formOf({ version2: file, made }))).toEqual([
    { how: 'ai', with: null },
  ])
  const other = await storage.post(`/songs/${newId()}/placements/some`, formOf({ version1: file, made }))
  expect(other.json<Problem>().code).toBe('invalid_request')
  const one = formOf({ file, made: ['{"how":"people"}'] })
  expect(await madeIn('versions/2/placements', one)).toEqual([{ how: 'people', with: null }])
  expect(await madeIn('versions/2/placements', formOf({ file, made: ['null'] }))).toEqual([null])
})

test('a refusal of audio names each version that is none, and why', async () => {
  await using storage = await startStorage()
  const refusalOf = async (form: FormData) => {
    const { errors, detail } = (await storage.postBoth(newId(), form)).json<Problem>()
    return { detail, paths: errors?.map(({ path }) => path), messages: errors?.map(({ message }) => message) }
  }
  const alac = await readFile(new URL('fixtures/codings/alac.m4a', import.meta.url))
  const lossless = 'This M4A holds Apple Lossless, which not every browser can play.'
  const [good, bad] = [[audio, 'a.mp3'] as const, [alac, 'b.m4a'] as const]
  const one = await refusalOf(formOf({ version1: [...good], version2: [...bad] }))
  expect(one).toEqual({
    detail: one.messages?.[0],
    paths: ['version2'],
    messages: [expect.stringContaining(lossless)],
  })
  expect(one.detail).toContain('Export it as MP3')
  const both = await refusalOf(formOf({ version1: [html, 'a.html'], version2: [...bad] }))
  expect(both.paths).toEqual(['version1', 'version2'])
  expect(both.messages).toEqual([expect.stringContaining('a web page'), one.detail])
  expect(both.detail).toBe(both.messages?.join(' '))
})

test('parts with other names are ignored', async () => {
  await using storage = await startStorage()
  const form = await bothVersions()
  form.append('note', 'hello')
  form.append('version3', new File([html], 'c.html'))
  expect((await storage.postBoth(newId(), form)).statusCode).toBe(200)
  expect(await storage.staged()).toEqual([])
})

const FORM = { 'content-type': 'multipart/form-data; boundary=b' }
const field = (name: string): string => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nx\r\n`
const manyFields = Array.from({ length: 101 }, (_, n) => field(`f${n}`)).join('')

const WRONG_BODIES: [string, Record<string, string>, string | Buffer, number, string][] = [
  ['no form', { 'content-type': 'application/json' }, '{}', 415, 'unsupported_media_type'],
  [
    'another multipart',
    { 'content-type': 'multipart/mixed; boundary=b' },
    FORM_END,
    415,
    'unsupported_media_type',
  ],
  ['no boundary', { 'content-type': 'multipart/form-data' }, 'x', 400, 'invalid_request'],
  ['a boundary that never comes', FORM, 'x', 400, 'invalid_request'],
  ['an empty body', FORM, '', 400, 'both_versions_required'],
  ['no part', FORM, FORM_END, 400, 'both_versions_required'],
  ['a form that breaks off in a head', FORM, '--b\r\ncontent-dispo', 400, 'invalid_request'],
  ['a form that breaks off in a file', FORM, partHead('version1', 'a'), 400, 'invalid_request'],
  [
    'a form that breaks off after a file',
    FORM,
    Buffer.concat([partHead('version1', 'a.mp3'), audio, PART_END]),
    400,
    'invalid_request',
  ],
  [
    'a form that breaks off in the second file',
    FORM,
    Buffer.concat([
      partHead('version1', 'a.mp3'),
      audio,
      PART_END,
      partHead('version2', 'b.mp3'),
      audio.subarray(0, 900),
    ]),
    400,
    'invalid_request',
  ],
  ['over 100 fields', FORM, `${manyFields}--b--\r\n`, 400, 'invalid_request'],
  ['foreign fields alone', FORM, `${field('note')}--b--\r\n`, 400, 'both_versions_required'],
  ['a field of a prototype', FORM, `${field('__proto__')}--b--\r\n`, 400, 'invalid_request'],
]
test('a body that is no whole form is refused', async () => {
  await using storage = await startStorage()
  for (const [what, headers, payload, status, code] of WRONG_BODIES) {
    const url = `/songs/${newId()}/placements`
    const reply = await storage.inject({ method: 'POST', url, headers, payload })
    expect([what, reply.statusCode, reply.json<Problem>().code]).toEqual([what, status, code])
    await expectNothingLeft(storage)
  }
})

const firstStaged = (storage: Storage) =>
  eventually(async () => expect(await storage.staged()).toEqual(['version1']))

/** A form that stops after its first file until `goOn` is called. */
function haltingForm() {
  const gate = Promise.withResolvers<void>()
  const form = streamedForm(
    (async function* () {
      yield partHead('version1', 'a.mp3')
      yield audio
      yield PART_END
      await gate.promise
      yield partHead('version2', 'b.mp3')
      yield audio
      yield PART_END
      yield FORM_END
    })(),
  )
  return { form, goOn: () => gate.resolve() }
}

test('of two placements at once one wins and the other is refused', async () => {
  await using storage = await startStorage()
  const url = `/songs/${newId()}/placements`
  const { form, goOn } = haltingForm()
  const first = storage.inject({ method: 'POST', url, ...form })
  await firstStaged(storage)
  const second = await storage.post(url, await bothVersions())
  expect([second.statusCode, second.json<Problem>().code]).toEqual([409, 'fulfilment_in_progress'])
  goOn()
  expect((await first).statusCode).toBe(200)
  expect(await storage.objects()).toHaveLength(2)
})

test('over HTTP a refused sender of a large body gets the answer', async () => {
  await using storage = await startStorage()
  const app = Fastify()
  registerProblems(app)
  await storage.service.routes(app)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const songId = newId()
  const { form, goOn } = haltingForm()
  const first = storage.inject({ method: 'POST', url: `/songs/${songId}/placements`, ...form })
  await firstStaged(storage)
  const body = Readable.from(largeWav(64 * 1024 * 1024))
  const { status, problem } = await new Promise<{ status: number | undefined; problem: Problem }>(
    (resolve, reject) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const sending = httpRequest(
        `${address}/songs/${songId}/placements`,
        { method: 'POST', headers },
        (response) => {
          json(response).then(
            (problem) => resolve({ status: response.statusCode, problem: problem as Problem }),
            reject,
          )
        },
      )
      sending.on('error', reject)
      body.pipe(sending)
    },
  )
  expect([status, problem.code]).toEqual([409, 'fulfilment_in_progress'])
  goOn()
  await first
  await app.close()
})

test('a sender that leaves midway leaves nothing, and the song is free again', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const leaving = storage.inject({
    method: 'POST',
    url: `/songs/${songId}/placements`,
    ...streamedForm(
      (async function* () {
        yield partHead('version1', 'a.mp3')
        yield audio
        await firstStaged(storage)
        throw new Error('the connection broke')
      })(),
    ),
  })
  await leaving.catch(() => {})
  await eventually(() => expectNothingLeft(storage))
  expect((await storage.postBoth(songId, await bothVersions())).statusCode).toBe(200)
})

test('a sender that goes silent is ended, leaves nothing, and the song is free again', async () => {
  await using storage = await startStorage()
  const songId = newId()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const silent = storage.inject({
    method: 'POST',
    url: `/songs/${songId}/placements`,
    ...haltingForm().form,
  })
  await firstStaged(storage)
  vi.advanceTimersByTime(SILENCE_MS)
  await expect(silent).rejects.toMatchObject({ code: 'request_timeout' })
  vi.useRealTimers()
  await eventually(() => expectNothingLeft(storage))
  expect((await storage.postBoth(songId, await bothVersions())).statusCode).toBe(200)
})

test('a slow sender is not silent', () => {
  vi.useFakeTimers()
  try {
    const body = new Readable({ read() {} })
    endWhenSilent(body)
    for (const chunk of ['one', 'two', 'three']) {
      vi.advanceTimersByTime(SILENCE_MS - 1)
      body.emit('data', chunk)
    }
    vi.advanceTimersByTime(SILENCE_MS - 1)
    expect(body.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(body.destroyed).toBe(true)
    body.on('error', () => {})
  } finally {
    vi.useRealTimers()
  }
})

test('a disk that fails is not the sender’s fault', async () => {
  await using storage = await startStorage()
  const { form, goOn } = haltingForm()
  const failing = storage.inject({ method: 'POST', url: `/songs/${newId()}/placements`, ...form })
  await firstStaged(storage)
  await rm(join(storage.stagingDir, 'placements'), { recursive: true })
  goOn()
  const reply = await failing
  expect([reply.statusCode, reply.json<Problem>().code]).toEqual([502, 'upload_failed'])
})

test('a store that fails at the second file takes the first away again', async () => {
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      putFile: (path, file, options) =>
        path.includes('version2_')
          ? Promise.reject(new Error('the store broke'))
          : real.putFile(path, file, options),
    }),
  })
  const reply = await storage.postBoth(newId(), await bothVersions())
  expect([reply.statusCode, reply.json<Problem>().detail]).toEqual([502, 'Upload failed. Please try again.'])
  await expectNothingLeft(storage)
})

test('a store that never ends a put is given up; the paths stay taken until a job deletes what was put', async () => {
  let put = 0
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      putFile: async (path, file, options) => {
        await real.putFile(path, file, options)
        put++
        return new Promise(() => {})
      },
    }),
  })
  const songId = newId()
  const refused = async (after: number) => {
    const placing = storage.postBoth(songId, await bothVersions())
    await eventually(() => expect(put).toBe(after))
    storage.clock.pass(PUT_GIVEN_UP_MS)
    return (await placing).json<Problem>().code
  }
  expect(await refused(2)).toBe('upload_failed')
  const first = await storage.objects()
  expect(await refused(4)).toBe('upload_failed')
  expect(await storage.objects()).toHaveLength(4)
  expect(await storage.objects()).toEqual(expect.arrayContaining(first))
  storage.clock.pass(DELETE_AGAIN_MS)
  await storage.runJob('delete-objects')
  await expectNothingLeft(storage)
})

test('a song can be placed for again, and its objects keep their paths', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const first = await storage.place(songId, await bothVersions())
  const second = await storage.place(songId, await bothVersions())
  expect(second[0]).toMatch(/version1_one-[0-9a-f]{6}\.mp3$/)
  expect(await storage.objects()).toEqual([...first, ...second].toSorted())
})

test('one version is placed from the field "file", which must be there', async () => {
  await using storage = await startStorage()
  const url = `/songs/${newId()}/versions/2/placements`
  const placed = await storage.post(url, formOf({ file: [audio, 'new.mp3'] }))
  expect(pathsOf(placed)[0]).toMatch(/version2_new\.mp3$/)
  const none = await storage.post(
    `/songs/${newId()}/versions/1/placements`,
    formOf({ version1: [audio, 'a.mp3'] }),
  )
  expect([none.statusCode, none.json<Problem>().code]).toEqual([400, 'file_required'])
  const third = await storage.post(
    `/songs/${newId()}/versions/3/placements`,
    formOf({ file: [audio, 'a.mp3'] }),
  )
  expect(third.statusCode).toBe(404)
})

test('a file name cannot lead out of the folder of its song', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const form = formOf({ version1: [audio, '../../../evil.mp3'], version2: [audio, '..\\..\\evil.mp3'] })
  expect(await storage.place(songId, form)).toEqual([
    `songs/${songId}/version1_evil.mp3`,
    `songs/${songId}/version2_evil.mp3`,
  ])
  expect((await readdir(join(storage.dir, 'blobs', 'songs'))).length).toBe(1)
})

test('a form whose sender has gone before it is read is refused, and not awaited for ever', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  await app.register(multipart)
  const read = Promise.withResolvers<unknown>()
  app.post('/', async (request) => {
    request.raw.destroy()
    await once(request.raw, 'close')
    const staging = { stage: vi.fn<Stage>(), folder: '', onBytes: () => {} }
    const wanted = { least: 1, missing: 'file_required', judge: () => null } as const
    await readParts(request, ['file'], wanted, staging).catch(read.resolve)
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const body = new FormData()
  body.set('file', new Blob(['la']))
  await fetch(address, { method: 'POST', body }).catch(() => {})
  expect(await read.promise).toMatchObject({ code: 'request_timeout' })
})
