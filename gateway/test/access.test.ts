import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { creditsStub, paymentOf, songOf, songsStub } from './stand-ins.ts'
import { ADA, type Browser, EVE, OPERATOR, startGateway, type TestGateway, uidOf } from './start-gateway.ts'

/** Who may call what, and whose data they get. */

const PAYMENT = newId()
/** The paths under which the services were called. */
const called: string[] = []
const logged =
  (routes: (app: FastifyInstance) => void) =>
  (app: FastifyInstance): void => {
    app.addHook('onRequest', async ({ url }) => void called.push(url))
    routes(app)
  }

function paymentsStub(app: FastifyInstance): void {
  app.get('/payments/:id', async () => paymentOf({ id: PAYMENT, uid: uidOf(ADA) }))
  app.get('/payments', async () => ({ items: [], nextCursor: null }))
  app.get('/sessions/:id', async () => ({ metadata: {}, eventType: null, status: 'open', credited: false }))
  app.get('/people/:uid/under-way', async () => ({ count: 0 }))
}
function songsOfPeople(app: FastifyInstance): void {
  songsStub().routes(app)
  app.get('/people/:uid/songs', async () => ({ ready: 0, cooking: 0, waiting: 0 }))
}
function notifierStub(app: FastifyInstance): void {
  app.get('/messages', async () => ({ items: [], nextCursor: null }))
  app.get('/people/:uid/notices', async () => ({ items: [], nextCursor: null }))
  app.get('/people/:uid/push-subscriptions', async () => ({ items: [] }))
  app.get('/people/:uid/preferences', async () => ({
    mail: { ready: true, charged: true, late: true, receipts: true },
    push: false,
    language: null,
  }))
}

let gateway: TestGateway
let ada: Browser
let eve: Browser
beforeAll(async () => {
  gateway = await startGateway({
    services: {
      songs: logged(songsOfPeople),
      credits: logged(creditsStub().routes),
      payments: logged(paymentsStub),
      notifier: logged(notifierStub),
    },
  })
  ada = await gateway.signIn(ADA)
  eve = await gateway.signIn(EVE)
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Document {
  paths: Record<string, object>
}

/** As `GET /api/songs/{id}`, by the document. */
async function operationsOf(browser: Browser): Promise<{ method: string; path: string }[]> {
  const { paths } = (await (await browser.get('/api/openapi.json')).json()) as Document
  return Object.entries(paths).flatMap(([path, item]) =>
    ['get', 'head', 'post', 'put', 'patch', 'delete']
      .filter((method) => method in item)
      .map((method) => ({ method: method.toUpperCase(), path })),
  )
}

test('every operation of the operator is refused to others and to a locked session, whose calls are in the audit', async () => {
  await using gateway = await startGateway()
  const eve = await gateway.signIn(EVE)
  const operations = (await operationsOf(eve))
    .filter(({ path }) => path.startsWith('/api/operator/') && path !== '/api/operator/unlock')
    .map(({ method, path }) => ({ method, path: path.replaceAll(/\{\w+\}/g, newId()) }))
  expect(operations.length).toBeGreaterThan(20)
  const answers = (browser: Browser): Promise<unknown[]> =>
    Promise.all(
      operations.map(async ({ method, path }) => {
        const answer = await browser.send(path, { method })
        const text = await answer.text()
        const code = method === 'HEAD' ? answer.status : (JSON.parse(text) as { code: string }).code
        return [method, path, code]
      }),
    )
  const all = (status: number, code: string): unknown[] =>
    operations.map(({ method, path }) => [method, path, method === 'HEAD' ? status : code])
  expect(await answers(gateway.visitor())).toEqual(all(401, 'not_signed_in'))
  expect(await answers(eve)).toEqual(all(403, 'operator_only'))
  expect(await answers(await gateway.signIn(OPERATOR))).toEqual(all(403, 'operator_locked'))
  const operator = await gateway.operator()
  const audited = async (query: string): Promise<{ outcome: string }[]> => {
    const answer = await operator.get(`/api/operator/audit?limit=100${query}`)
    return ((await answer.json()) as { items: { outcome: string }[] }).items.filter(
      ({ outcome }) => outcome === 'operator_locked',
    )
  }
  expect(await audited('')).toHaveLength(operations.length)
  // what changes something is among what the operator reads first
  const writing = operations.filter(
    ({ method, path }) =>
      !(['GET', 'HEAD'].includes(method) || /\/uploads|\/messages\/read$/.test(path)) ||
      path.endsWith('/export'),
  )
  expect(await audited('&kind=changes')).toHaveLength(writing.length)
})

test('no operation fails by what stands in its path in place of an id', async () => {
  await using gateway = await startGateway({
    services: { songs: songsStub().routes },
    config: { generator: true },
  })
  const operator = await gateway.operator()
  const operations = (await operationsOf(operator)).filter(({ path }) => path.includes('{'))
  expect(operations.length).toBeGreaterThan(40)
  const said = {
    reason: 'x',
    text: 'x',
    before: 0,
    amount: 37_000,
    made: {},
    notes: [{ version: 1, text: 'x' }],
  }
  const failed: unknown[] = []
  for (const id of ['%00', randomBytes(4_000).toString('hex')])
    for (const { method, path } of operations) {
      const hasBody = method !== 'GET' && method !== 'HEAD'
      const answer = await operator.send(path.replaceAll(/\{\w+\}/g, id), {
        method,
        headers: { 'content-type': 'application/json', 'idempotency-key': newId() },
        ...(hasBody && { body: JSON.stringify(said) }),
      })
      if (answer.status === 500) failed.push([method, path, id.slice(0, 3)])
      await answer.body?.cancel()
    }
  expect(failed).toEqual([])
})

test('whatever answers the operator about the song of another person is in the audit, once in ten minutes', async () => {
  const songs = songsStub()
  const id = newId()
  const paths = { storagePath1: 'songs/s/version1_a.mp3', storagePath2: 'songs/s/version2_b.mp3' }
  const ready = { status: 'ready', downloadUrl1: '/1', downloadUrl2: '/2', ...paths } as const
  songs.songs.set(id, songOf({ id, uid: uidOf(ADA), charge: 'charged', charged: true, ...ready }))
  const storage = (app: FastifyInstance): void => {
    app.get('/audio', async (_request, reply) => reply.type('audio/mpeg').send('audio'))
    app.get('/waveform', async () => ({ durationMs: 1, peaks: [], loudnessLufs: null }))
    app.post('/zip', async (_request, reply) => reply.type('application/zip').send('PK'))
  }
  await using other = await startGateway({ services: { songs: songs.routes, storage } })
  const owner = await other.signIn(ADA)
  const locked = await other.signIn(OPERATOR)
  const operator = await other.operator()
  const reading = (await operationsOf(operator)).filter(
    ({ method, path }) => ['GET', 'HEAD'].includes(method) && /^\/api\/(?!operator).*\{id\}/.test(path),
  )
  const audited = async (): Promise<string[]> => {
    const answer = await operator.get('/api/operator/audit?limit=100')
    const { items } = (await answer.json()) as { items: Record<'action' | 'outcome' | 'target', string>[] }
    return items
      .filter(({ target }) => target === id)
      .map(({ action, outcome }) => `${action} ${outcome}`)
      .toSorted()
  }
  const operations = [...reading, { method: 'GET', path: '/api/songs/{id}/versions/{n}?download=1' }].map(
    ({ method, path }) => ({ method, path: path.replace('{id}', id).replace('{n}', '1') }),
  )
  const unseen: string[] = []
  for (const { method, path } of operations) {
    const before = (await audited()).length
    // a session of its own for each, whose first call this is
    const session = await other.operator()
    const { status } = await session.send(path, { method })
    if (status < 400 && (await audited()).length === before) unseen.push(`${method} ${path}`)
  }
  expect(unseen).toEqual([])
  const before = await audited()
  expect(new Set(before)).toEqual(
    new Set(['read-song ok', 'read-messages ok', 'play-song ok', 'download-song ok']),
  )
  const addedBy = async (browser: Browser): Promise<string[]> => {
    const known = await audited()
    for (const path of ['', '/versions/1', '/versions/1', '/versions/2'])
      await (await browser.get(`/api/songs/${id}${path}`, { range: 'bytes=0-1' })).arrayBuffer()
    const now = await audited()
    return known.reduce((rest, one) => rest.toSpliced(rest.indexOf(one), 1), now)
  }
  expect(await addedBy(operator)).toEqual(['play-song ok', 'read-song ok'])
  expect(await addedBy(operator)).toEqual([])
  expect(await addedBy(owner)).toEqual([])
  const refused = 'song_not_found'
  expect(await addedBy(locked)).toEqual([
    ...[1, 2, 3].map(() => `play-song ${refused}`),
    `read-song ${refused}`,
  ])
})

test("another person's payment is as unknown as none", async () => {
  expect((await ada.get(`/api/payments/${PAYMENT}`)).status).toBe(200)
  const foreign = await eve.get(`/api/payments/${PAYMENT}`)
  expect([foreign.status, (await foreign.json()).code]).toEqual([404, 'payment_not_found'])
})

test('lists, statement and archive hold data of the caller alone, whatever uid the request names', async () => {
  called.length = 0
  const uid = uidOf(ADA)
  for (const path of [
    'songs',
    'payments',
    'credits',
    'credits/entries',
    'account/closing',
    'account/export',
  ]) {
    const answer = await eve.get(`/api/${path}?uid=${uid}&userId=${uid}`)
    expect([path, answer.status]).toEqual([path, 200])
    const text = await answer.text()
    for (const foreign of [uid, 'ada@example.org']) expect(text).not.toContain(foreign)
    if (path === 'account/export') expect(text).toContain('eve@example.org')
  }
  await eve.get(`/api/get-session?session_id=cs_1&uid=${uid}`)
  expect(called).toContain(`/sessions/cs_1?uid=${uidOf(EVE)}`)
  expect(called.filter((url) => url.includes(uid))).toEqual([])
})
