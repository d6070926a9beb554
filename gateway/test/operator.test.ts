import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AppError, type Logger, newId } from '@prelude/platform'
import { placedObject } from '@prelude/platform/testing'
import type { FastifyInstance } from 'fastify'
import { creditsStub, paymentOf, songOf, songsStub } from './stand-ins.ts'
import { ADA, type Browser, startGateway, type TestGateway, uidOf } from './start-gateway.ts'

const songs = songsStub()
const credits = creditsStub()
const storage = {
  log: [] as string[],
  made: undefined as unknown,
  bytes: 0,
  fail: null as AppError | null,
}
const paid: unknown[] = []

function storageStub(app: FastifyInstance): void {
  app.addContentTypeParser(
    ['multipart/form-data', 'application/offset+octet-stream'],
    (_request, payload, done) => {
      storage.bytes = 0
      payload.on('data', (chunk: Buffer) => (storage.bytes += chunk.length)).on('end', () => done(null))
    },
  )
  const placed = async (request: { url: string }) => {
    storage.log.push(request.url)
    if (storage.fail) throw storage.fail
    return { objects: ['songs/a/version1_a.mp3', 'songs/a/version2_b.mp3'].map((path) => placedObject(path)) }
  }
  app.post('/songs/:id/placements', placed)
  app.post<{ Body: { made: unknown } }>('/songs/:id/placements/from-uploads', (request) => {
    storage.made = request.body.made
    return placed(request)
  })
  app.post('/uploads', async (request, reply) =>
    reply
      .code(201)
      .headers({
        location: 'http://inside/uploads/abc',
        'tus-resumable': String(request.headers['tus-resumable']),
      })
      .send(),
  )
  app.patch('/uploads/:id', async (_request, reply) =>
    reply.code(409).headers({ 'tus-resumable': '1.0.0' }).send('no'),
  )
  app.delete('/uploads/:id', async (request, reply) => {
    storage.log.push(`${request.method} ${request.url}`)
    return reply.code(204).send()
  })
  app.head('/uploads/:id', async (_request, reply) => reply.headers({ 'upload-offset': '7' }).send())
}

function paymentsStub(app: FastifyInstance): void {
  const answer = async (request: { params: unknown; body: unknown }) => {
    paid.push({ ...(request.params as object), ...(request.body as object) })
    return paymentOf({
      id: 'p',
      method: 'naira_transfer',
      currency: 'ngn',
      status: 'paid',
      amountCents: 3_700_000,
    })
  }
  app.post('/transfers/:id/confirm', answer)
  app.put('/settled-transfers/:id', answer)
  app.put('/payments/:id/refunds/:refundId', answer)
}

let gateway: TestGateway
let operator: Browser
beforeAll(async () => {
  gateway = await startGateway({
    services: { songs: songs.routes, credits: credits.routes, storage: storageStub, payments: paymentsStub },
  })
  await gateway.signIn(ADA)
  operator = await gateway.operator()
})
beforeEach(() => {
  storage.log = []
  storage.fail = null
  Object.assign(songs.fulfilling, { error: null, isLost: false })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const json = { 'content-type': 'application/json' }
const known = (given: Parameters<typeof songOf>[0] = {}): string => {
  const id = newId()
  songs.songs.set(id, songOf({ uid: uidOf(ADA), ...given, id }))
  return id
}
const form = (): FormData => {
  const data = new FormData()
  data.set('version1', new File([new Uint8Array(300_000)], 'a.mp3'))
  data.set('version2', new File([new Uint8Array(300_000)], 'b.mp3'))
  return data
}
const seen = async (answer: Response): Promise<unknown> => {
  const { code, detail } = await answer.json()
  return { status: answer.status, code, detail }
}
const fulfil = (id: string, body: BodyInit | null = form(), headers = {}): Promise<Response> =>
  operator.send(`/api/operator/songs/${id}/fulfil`, { method: 'POST', body, headers })

test('both files go to storage as they come, and songs takes them', async () => {
  const id = known()
  const answer = await fulfil(id)
  expect(await answer.json()).toMatchObject({ id, status: 'ready', storagePath1: 'songs/a/version1_a.mp3' })
  expect(answer.status).toBe(200)
  expect(storage.log).toEqual([`/songs/${id}/placements`])
  expect(storage.bytes).toBeGreaterThan(600_000)
})

test('finished uploads do as well, and a repeat with its key finds its answer though the song is ready', async () => {
  const id = known()
  const made = { 1: { how: 'ai', with: 'ACE-Step 1.5' } }
  const body = JSON.stringify({ version1: 'u1', version2: 'u2', made })
  const headers = { 'content-type': 'application/json', 'idempotency-key': newId() }
  const first = await fulfil(id, body, headers)
  const again = await fulfil(id, body, headers)
  expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true'])
  expect(storage.log.toSorted()).toEqual([
    `/songs/${id}/placements/from-uploads`,
    'DELETE /uploads/u1',
    'DELETE /uploads/u2',
  ])
  expect(storage.made).toEqual(made)
})

test('how a delivered song was made is said later, in the order of checks of any route', async () => {
  const say = async (id: string, body: unknown) => {
    const init = { method: 'PUT', headers: json, body: JSON.stringify(body) }
    return seen(await operator.send(`/api/operator/songs/${id}/made`, init))
  }
  const made = { 1: { how: 'assisted', with: ' ' } }
  for (const wrong of [
    {},
    { made: null },
    { made: { 3: null } },
    { made: { 1: { how: 'ai', with: 'x'.repeat(101) } } },
  ])
    expect(await say('x', wrong)).toMatchObject({ status: 400, code: 'invalid_request' })
  expect(await say('x', { made: { 1: { how: 'ai', with: '\0' } } })).toMatchObject({ code: 'invalid_text' })
  for (const unknown of ['x', newId()])
    expect(await say(unknown, { made })).toMatchObject({ status: 404, code: 'song_not_found' })
  const id = known({ status: 'ready' })
  expect(await say(id, { made })).toMatchObject({ status: 200 })
  expect(songs.songs.get(id)?.made).toEqual({ 1: { how: 'assisted', with: null }, 2: null })
})

test('a fulfilment that cannot be is refused before anything goes to storage', async () => {
  for (const [id, body, headers, status, code, detail] of [
    ['-', form(), {}, 400, 'select_song', 'Select a song ID to upload to.'],
    ['', form(), {}, 400, 'select_song'],
    [newId(), form(), {}, 404, 'song_not_found', 'Song not found in database.'],
    [known({ status: 'ready' }), 'x', json, 409, 'song_already_ready'],
    [known({ charge: 'deciding' }), 'x', json, 409, 'charge_pending'],
    [known(), null, {}, 400, 'both_versions_required'],
    [known(), 'x', {}, 415, 'unsupported_media_type'],
    [known(), '{', json, 400, 'malformed_json'],
    [known(), '{"version1":"a","made":null}', json, 400, 'both_versions_required'],
  ] as const)
    expect(await seen(await fulfil(id, body, headers))).toMatchObject({
      status,
      code,
      ...(detail && { detail }),
    })
  expect(storage.log).toEqual([])
})

test('when storage refuses or fails, the song stays pending', async () => {
  for (const [error, status, code] of [
    ['not_audio', 415, 'not_audio'],
    ['fulfilment_in_progress', 409, 'fulfilment_in_progress'],
    ['unavailable', 502, 'upload_failed'],
    ['internal_error', 502, 'upload_failed'],
  ] as const) {
    storage.fail = new AppError(error)
    const id = known()
    expect(await seen(await fulfil(id))).toMatchObject({ status, code })
    expect(songs.songs.get(id)?.status).toBe('pending')
  }
})

test('after a fulfilment whose answer was lost, that never came or was refused, storage gets no further request', async () => {
  for (const [error, isLost, status, code] of [
    ['unavailable', false, 200, undefined],
    ['unavailable', true, 502, 'upload_failed'],
    ['song_already_ready', false, 409, 'song_already_ready'],
  ] as const) {
    storage.log = []
    Object.assign(songs.fulfilling, { error: new AppError(error), isLost })
    const id = known()
    const answer = await fulfil(id, JSON.stringify({ version1: 'u1', version2: 'u2' }), json)
    expect([answer.status, (await answer.json()).code]).toEqual([status, code])
    const removals = storage.log.filter((line) => line.startsWith('DELETE'))
    expect(removals).toHaveLength(status === 200 ? 2 : 0) // of uploads that were used
    expect(storage.log.filter((line) => !line.startsWith('DELETE'))).toEqual([
      `/songs/${id}/placements/from-uploads`,
    ])
  }
})

test('uploads keep their tus answers, at our addresses, and refusals are problems', async () => {
  const made = await operator.send('/api/operator/uploads', {
    method: 'POST',
    headers: { 'tus-resumable': '1.0.0', 'upload-length': '7' },
  })
  expect([made.status, made.headers.get('location')]).toEqual([201, '/api/operator/uploads/abc'])
  expect(made.headers.get('tus-resumable')).toBe('1.0.0')
  const head = await operator.send('/api/operator/uploads/abc', { method: 'HEAD' })
  expect([head.status, head.headers.get('upload-offset')]).toEqual([200, '7'])
  const refused = await operator.send('/api/operator/uploads/abc', {
    method: 'PATCH',
    headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': '3' },
    body: 'abc',
  })
  expect(await refused.json()).toMatchObject({ status: 409, code: 'invalid_request', errors: [] })
  const gone = await operator.send('/api/operator/uploads/abc', { method: 'DELETE' })
  expect([gone.status, gone.headers.get('content-encoding')]).toEqual([204, null])
  expect((await gateway.visitor().send('/api/operator/uploads', { method: 'POST' })).status).toBe(401)
})

test('the price of a song is said once its credits were taken', async () => {
  for (const [charge, price] of [
    ['deciding', null],
    ['declined', null],
    ['charged', 7.5],
    ['refunded', 7.5],
    ['gift', null],
  ] as const) {
    const id = known({ charge, price: 7.5 })
    expect(await (await operator.send(`/api/songs/${id}`)).json()).toMatchObject({ charge, price })
  }
})

test('a refund is decided by songs alone', async () => {
  const id = known()
  const answer = await operator.post(`/api/operator/songs/${id}/refund`, { reason: 'wrong words' })
  expect(await answer.json()).toMatchObject({ charge: 'refunded', charged: false })
  expect(songs.seen.at(-1)).toBe(`POST /songs/${id}/refund`)
})

test('a transfer is of a number of whole kobo', async () => {
  for (const body of [{ amount: '37000' }, { amount: null }, {}, { amount: 37000.001 }]) {
    const answer = await seen(await operator.post(`/api/operator/transfers/${newId()}/confirm`, body))
    expect([body, answer]).toMatchObject([body, { status: 400, code: 'invalid_amount' }])
  }
})

test('Naira become kobo at the edge and nowhere else', async () => {
  const id = newId()
  const answer = await operator.post(`/api/operator/transfers/${id}/confirm`, { amount: 37000.5 })
  expect(paid.at(-1)).toEqual({ id, amountKobo: 3_700_050 })
  expect(await answer.json()).toMatchObject({ amount: 37000, currency: 'NGN', status: 'paid', credits: 25 })
  const sent = await operator.post('/api/operator/transfers', { email: 'ADA@example.org', amount: 40000 })
  expect(sent.status).toBe(201)
  expect(paid.at(-1)).toMatchObject({ uid: uidOf(ADA), amountKobo: 4_000_000 })
})

test('an adjustment has a person, a sum in whole cents and a reason', async () => {
  const uid = uidOf(ADA)
  for (const [body, status, code] of [
    [{ uid, credits: 1.005, reason: 'x' }, 400, 'invalid_amount'],
    [{ uid, credits: 0, reason: 'x' }, 400, 'invalid_amount'],
    [{ uid, credits: 1 }, 400, 'invalid_request'],
    [{ uid, credits: 1, reason: '' }, 400, 'invalid_request'],
    [{ uid, credits: 1, reason: 'x'.repeat(501) }, 400, 'invalid_request'],
    [{ credits: 1, reason: 'x' }, 400, 'invalid_request'],
    [{ uid: 'nobody', credits: 1, reason: 'x' }, 404, 'user_not_found'],
    [{ email: 'nobody@x', credits: 1, reason: 'x' }, 404, 'user_not_found'],
  ] as const) {
    const answer = await seen(await operator.post('/api/operator/credits', body))
    expect([body, answer]).toMatchObject([body, { status, code }])
  }
})

test('an adjustment finds a person by address; an address of two accounts is ambiguous, their uids are not', async () => {
  const email = 'Grace@Example.org'
  const first = { ...ADA, sub: 'grace', email: 'grace@example.org', name: 'Grace Hopper' }
  const second = { ...first, sub: 'second grace' }
  const adjust = (account: object) =>
    operator.post('/api/operator/credits', { ...account, credits: -2.5, reason: 'x' })
  await gateway.signIn(first)
  expect(await (await adjust({ email })).json()).toEqual({ balance: -2.5 })
  await gateway.signIn(second)
  const transfer = operator.post('/api/operator/transfers', { email, amount: 37_000 })
  for (const refused of [adjust({ email }), transfer])
    expect(await seen(await refused)).toMatchObject({ status: 409, code: 'ambiguous_account' })
  for (const claims of [first, second]) expect((await adjust({ uid: uidOf(claims) })).status).toBe(200)
})

test('people are listed with balances in pages that neither repeat nor skip', async () => {
  const first = await (await operator.get('/api/operator/people?limit=1')).json()
  const rest = await (await operator.get(`/api/operator/people?cursor=${first.nextCursor}`)).json()
  const uids = [...first.items, ...rest.items].map((person: { uid: string }) => person.uid)
  expect(new Set(uids).size).toBe(uids.length)
  const { items } = await (await operator.get('/api/operator/people?q=LOVELACE')).json()
  expect(items[0]).toMatchObject({ name: 'Ada Lovelace', balance: 0.01, debt: 0.02 })
  for (const q of ['lovelace ada', 'adaexampleorg', 'ada example', 'Ada - Lovelace', 'LOVELÁCE'])
    expect((await (await operator.get(`/api/operator/people?q=${q}`)).json()).items).toEqual(items)
  expect((await (await operator.get('/api/operator/people?q=%25')).json()).items).toEqual([])
})

test('debtors are listed with their debts, also one without a record', async () => {
  const owing = { balanceCents: 0, version: 1 }
  credits.debts.push({ ...owing, uid: uidOf(ADA), debtCents: 1500 }, { ...owing, uid: 'gone', debtCents: 50 })
  const { items } = await (await operator.get('/api/operator/debts')).json()
  expect(items).toEqual([
    { uid: uidOf(ADA), name: 'Ada Lovelace', email: 'ada@example.org', balance: 0, debt: 15 },
    { uid: 'gone', name: null, email: '', balance: 0, debt: 0.5 },
  ])
})

test('every call of the operator is in the audit with its outcome, refused ones too; other people are not', async () => {
  const id = newId()
  await operator.post(`/api/operator/songs/${id}/refund`, { reason: 'why' })
  await operator.post('/api/operator/unlock', { password: 'wrong' })
  const ada = await gateway.signIn(ADA)
  await ada.post('/api/operator/unlock', { password: 'wrong' })
  const { items } = await (await operator.get('/api/operator/audit?limit=2')).json()
  expect(items).toMatchObject([
    { action: 'unlock', outcome: 'wrong_operator_password', target: null },
    { action: 'refund-song', outcome: 'song_not_found', target: id, detail: 'why' },
  ])
  const refused = await (await operator.get('/api/operator/audit?kind=refused&limit=2')).json()
  expect(refused.items).toEqual(items)
  const money = await (await operator.get('/api/operator/audit?kind=money&limit=1')).json()
  expect(money.items).toMatchObject([{ action: 'refund-song' }])
  expect((await operator.get('/api/operator/audit?kind=none')).status).toBe(400)
  const write = gateway.service.db.query('delete from audit')
  await expect(write).rejects.toThrow(/permission denied/)
})

test('a call that could not be noted in the audit is answered without a second wait for the database', async () => {
  const errors: unknown[] = []
  const noted = (logger: Logger): Logger =>
    new Proxy(logger, {
      get: (target, name, receiver) => {
        if (name === 'child') return (bindings: object) => noted(target.child(bindings))
        if (name === 'error') return (_given: object, msg: string) => void errors.push(msg)
        return Reflect.get(target, name, receiver) as unknown
      },
    })
  await using away = await startGateway({ logger: noted })
  const browser = await away.operator()
  await away.service.admin.query('alter table audit rename to audit_away')
  expect((await browser.get('/api/operator/debts')).status).toBe(500)
  expect(errors).not.toContain('outcome not written to the audit')
  expect(errors).not.toEqual([])
})
