import { randomUUID } from 'node:crypto'
import type { Draft, Payment, Share, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect } from 'vitest'
import type { ProductProcess } from '../../support/product-process.ts'
import { both, form, MP3, WAV } from '../../support/audio-files.ts'
import { type Caller, type Somebody } from '../../support/callers.ts'
import { sendWebhook } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

export const COUNTRY = { 'cf-ipcountry': 'NG' }
const TUS = { 'tus-resumable': '1.0.0' }

export interface Cast {
  readonly product: ProductProcess
  readonly visitor: Caller
  readonly person: Somebody
  readonly operator: Somebody
}

/** Calls every operation with valid input at least once, except those that end a session. */
export async function callEverything(cast: Cast): Promise<void> {
  await callAsVisitor(cast)
  await payByCard(cast)
  const { readySong, pendingSong } = await makeSongs(cast)
  await listen(cast, readySong)
  await readLicence(cast, readySong)
  await shareSong(cast, readySong)
  await talk(cast, readySong)
  await draft(cast, readySong)
  await sendTransfers(cast)
  await uploadInPieces(cast)
  await choose(cast)
  await readAll(cast, pendingSong)
}

async function callAsVisitor({ visitor }: Cast): Promise<void> {
  const pages = [
    '/healthz',
    '/api/geo',
    '/api/promise',
    '/api/payment-methods',
    '/api/openapi.json',
    '/api/docs',
  ]
  for (const path of pages) expect((await visitor('GET', path)).status).toBe(200)
  expect((await visitor('GET', '/api/legal/terms')).status).toBe(404) // TERMS_FILE is not set
  for (const path of [
    '/api/auth/login?returnTo=/&mode=popup',
    '/api/auth/callback?error=access_denied&state=x',
  ])
    expect((await visitor('GET', path)).status).toBe(302)
  const error = { message: 'x is undefined', release: 'index-abc', page: '/' }
  expect((await visitor('POST', '/api/client-errors', { json: error })).status).toBe(204)
  expect((await visitor('POST', '/api/web-vitals', { json: { page: '/', cls: 0 } })).status).toBe(204)
  const event = { id: `evt_${randomUUID()}`, type: 'customer.created', created: 1, data: { object: {} } }
  expect((await sendWebhook(visitor, event)).status).toBe(200)
  expect((await visitor('POST', '/api/webhooks/paystack', { json: {} })).status).toBe(400)
}

/** A payment, half of it refunded. */
async function payByCard({ person, operator }: Cast): Promise<void> {
  const json = { amount: 100, myamount: 100, userId: person.uid }
  const { body } = await person.call<{ id: string; url: string }>('POST', '/api/payments', { json })
  expect((await person.call('POST', '/api/payments/alternate', { json })).status).toBe(501)
  await press(body, 'pay')
  await eventually(async () => {
    const { body: account } = await person.call<{ balance: number }>('GET', '/api/credits')
    expect(account.balance).toBe(100)
  })
  const session = new URL(body.url).pathname.split('/').at(-1) ?? ''
  expect((await person.call('GET', `/api/get-session?session_id=${session}`)).status).toBe(200)
  expect((await person.call('GET', `/api/payments/${body.id}`)).status).toBe(200)
  const refund = { json: { amount: 20 } }
  expect((await operator.call('POST', `/api/operator/payments/${body.id}/refund`, refund)).status).toBe(200)
}

async function makeSongs({ person, operator }: Cast): Promise<{ readySong: Song; pendingSong: Song }> {
  const request = async (): Promise<Song> => {
    const json = { lyrics: 'la la', style: 'folk', readyBy: Date.now() }
    const headers = { 'idempotency-key': randomUUID() }
    const { body } = await person.call<Song>('POST', '/api/songs', { json, headers })
    return eventually(async () => {
      const song = await person.call<Song>('GET', `/api/songs/${body.id}`)
      expect(song.body.charge).toBe('charged')
      return song.body
    })
  }
  const { id } = await request()
  const song = `/api/operator/songs/${id}`
  expect((await operator.call('POST', `${song}/fulfil`, { raw: both() })).status).toBe(200)
  const file = form({ field: 'file', bytes: WAV, name: 'take.wav' })
  file.set('made', '{"how":"ai"}')
  const replaced = await operator.call<Song>('PUT', `${song}/versions/2`, { raw: file })
  expect([replaced.status, replaced.body.made]).toEqual([200, { 1: null, 2: { how: 'ai', with: null } }])
  const made = { json: { made: { 1: { how: 'people', with: 'Ableton Live' } } } }
  expect((await operator.call('PUT', `${song}/made`, made)).status).toBe(200)
  const given = await request()
  const back = { json: { reason: 'test' } }
  expect((await operator.call('POST', `/api/operator/songs/${given.id}/refund`, back)).status).toBe(200)
  await reviseAndEnd({ person, operator }, id, request)
  return { readySong: replaced.body, pendingSong: await request() }
}

/** Changes of a delivered song; a song that is started, released and declined, and one that is cancelled. */
async function reviseAndEnd(
  { person, operator }: Pick<Cast, 'person' | 'operator'>,
  id: string,
  request: () => Promise<Song>,
): Promise<void> {
  const statuses: number[] = []
  const call = async (who: Somebody, method: string, path: string, sending = {}): Promise<void> =>
    void statuses.push((await who.call(method, path, sending)).status)
  const notes = { json: { notes: [{ version: 1, atMs: 0, text: 'louder' }] } }
  await call(person, 'POST', `/api/songs/${id}/changes`, notes)
  const raw = form({ field: 'version1', bytes: MP3 })
  await call(operator, 'POST', `/api/operator/songs/${id}/changes`, { raw })
  await call(person, 'POST', `/api/songs/${id}/accept`)
  const { id: declined } = await request()
  for (const act of ['start', 'release'])
    await call(operator, 'POST', `/api/operator/songs/${declined}/${act}`)
  await call(operator, 'PUT', `/api/operator/songs/${declined}/note`, { json: { text: 'horns' } })
  await call(operator, 'POST', `/api/operator/songs/${declined}/decline`, { json: { reason: 'test' } })
  const { id: cancelled } = await request()
  await call(person, 'PATCH', `/api/songs/${cancelled}`, { json: { title: 'Rain', style: 'slow folk' } })
  await call(person, 'POST', `/api/songs/${cancelled}/cancel`)
  expect(statuses).toEqual([200, 200, 200, 204, 204, 200, 200, 200, 200])
}

async function listen({ person }: Cast, { id }: Song): Promise<void> {
  const version = `/api/songs/${id}/versions/1`
  const statuses = [
    await person.call('GET', version),
    await person.call('GET', `${version}?download=1`, { headers: { range: 'bytes=0-9' } }),
    await person.call('GET', version, { headers: { range: `bytes=${MP3.length}-` } }),
    await person.call('HEAD', version),
    await person.call('GET', `/api/songs/${id}/download`),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 206, 416, 200, 200])
  await eventually(async () => {
    expect((await person.call('GET', `${version}/waveform`)).status).toBe(200)
  })
}

async function readLicence({ visitor, person }: Cast, { id, certificate }: Song): Promise<void> {
  expect((await person.call('GET', `/api/songs/${id}/certificate.pdf`)).status).toBe(200)
  expect((await visitor('GET', `/api/certificates/${certificate?.id}`)).status).toBe(200)
}

/** Two links: one stays, one is ended. */
async function shareSong({ visitor, person }: Cast, { id }: Song): Promise<void> {
  const make = () => person.call<Share>('POST', `/api/songs/${id}/shares`, { json: { download: true } })
  const [{ body: kept }, { body: ended }] = [await make(), await make()]
  const token = kept.url.split('/').at(-1) ?? ''
  const version = `/api/shares/${token}/versions/1`
  const statuses = [
    await person.call('GET', `/api/songs/${id}/shares`),
    await person.call('DELETE', `/api/shares/${ended.id}`),
    await visitor('GET', `/api/shares/${token}`),
    await visitor('GET', `${version}?download=1`, { headers: { range: 'bytes=0-9' } }),
    await visitor('HEAD', version),
    await visitor('GET', `${version}/waveform`),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 204, 200, 206, 200, 200])
}

/** Owner and operator write to each other, and read it. */
async function talk({ person, operator }: Cast, { id }: Song): Promise<void> {
  const [own, desk] = [`/api/songs/${id}/messages`, `/api/operator/songs/${id}/messages`]
  const before = Date.now() + 60_000
  const statuses = [
    await person.call('POST', own, { json: { text: 'Ngozi' } }),
    await operator.call('POST', desk, { json: { text: 'Thanks' } }),
    await person.call('POST', `${own}/read`, { json: { before } }),
    await operator.call('POST', `${desk}/read`, { json: { before } }),
    await person.call('GET', own),
  ].map(({ status }) => status)
  expect(statuses).toEqual([201, 201, 204, 204, 200])
}

/** A draft is made, heard and removed. */
async function draft({ operator }: Cast, { id }: Song): Promise<void> {
  const all = `/api/operator/songs/${id}/drafts`
  expect((await operator.call('POST', all, { json: { count: 1 } })).status).toBe(201)
  const { id: draftId } = await eventually(async () => {
    const { body } = await operator.call<{ items: Draft[] }>('GET', all)
    expect(body.items).toMatchObject([{ state: 'ready' }])
    return body.items[0] as Draft
  })
  const one = `/api/operator/drafts/${draftId}`
  const statuses = [
    await operator.call('GET', `${one}/audio`, { headers: { range: 'bytes=0-9' } }),
    await operator.call('HEAD', `${one}/audio`),
    await operator.call('DELETE', one),
  ].map(({ status }) => status)
  expect(statuses).toEqual([206, 200, 204])
}

/** Transfers: one is confirmed, one rejected, one recorded; the last stays open. */
async function sendTransfers({ person, operator }: Cast): Promise<void> {
  const announce = async (): Promise<string> => {
    const sending = { json: {}, headers: COUNTRY }
    const { status, body } = await person.call<Payment>('POST', '/api/payments/naira-transfers', sending)
    expect(status).toBe(201)
    return body.id
  }
  const settle = async (id: string, how: string, json: unknown): Promise<void> =>
    expect((await operator.call('POST', `/api/operator/transfers/${id}/${how}`, { json })).status).toBe(200)
  await settle(await announce(), 'confirm', { amount: 37_000 })
  await settle(await announce(), 'reject', { reason: 'nothing came' })
  const json = { email: person.email, amount: 40_000.5 }
  expect((await operator.call('POST', '/api/operator/transfers', { json })).status).toBe(201)
  expect((await person.call('GET', '/api/payment-methods', { headers: COUNTRY })).status).toBe(200)
  await announce()
}

/** Uploads: one is deleted, one stays unfinished. */
async function uploadInPieces({ operator }: Cast): Promise<void> {
  const all = '/api/operator/uploads'
  const begin = async (): Promise<string> => {
    const headers = { ...TUS, 'upload-length': String(MP3.length), 'upload-metadata': 'filename YS5tcDM=' }
    return (await operator.call('POST', all, { headers })).headers.location ?? ''
  }
  expect((await operator.call('OPTIONS', all)).status).toBe(204)
  const gone = await begin()
  expect((await operator.call('DELETE', gone, { headers: TUS })).status).toBe(204)
  const one = await begin()
  const sent = await operator.call('PATCH', one, {
    raw: MP3.subarray(0, 100),
    headers: { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
  })
  expect(sent.status).toBe(204)
  expect((await operator.call('HEAD', one, { headers: TUS })).headers['upload-offset']).toBe('100')
  expect((await operator.call('OPTIONS', one)).status).toBe(204)
}

/** Preferences, a push subscription that ends again, and notices that are read. */
async function choose({ person }: Cast): Promise<void> {
  const json = { mail: { late: false }, push: true }
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  const subscription = { endpoint: `https://push.example/${randomUUID()}`, expirationTime: null, keys }
  const { body, status } = await person.call<{ id: string }>('POST', '/api/push-subscriptions', {
    json: subscription,
  })
  const statuses = [
    (await person.call('GET', '/api/push-key')).status,
    status,
    (await person.call('DELETE', `/api/push-subscriptions/${body.id}`)).status,
    (await person.call('PUT', '/api/preferences', { json })).status,
    (await person.call('GET', '/api/preferences')).status,
    (await person.call('POST', '/api/notices/read', { json: { before: Date.now() } })).status,
  ]
  expect(statuses).toEqual([200, 201, 204, 200, 200, 204])
}

async function readAll({ person, operator }: Cast, song: Song): Promise<void> {
  const own = [
    'me',
    'notices',
    'songs?status=pending&q=la&limit=1',
    'credits/debt',
    'credits/entries',
    'credits/entries?format=csv',
    'payments',
    'account/export',
  ]
  for (const path of own) expect((await person.call('GET', `/api/${path}`)).status).toBe(200)
  const json = { uid: person.uid, credits: -0.25, reason: 'test' }
  expect((await operator.call('POST', '/api/operator/credits', { json })).status).toBe(200)
  const lists = [
    'songs?status=ready&unread=true',
    'transfers',
    'debts',
    `people?q=${song.email}`,
    `people/${person.uid}/export`,
    'payments',
    'audit?limit=100',
    'ops',
  ]
  for (const path of lists) expect((await operator.call('GET', `/api/operator/${path}`)).status).toBe(200)
  const ops = async (path: string, sent: object = {}): Promise<number> =>
    (await operator.call('POST', `/api/operator/ops/${path}`, { json: sent })).status
  expect(await ops('dead-letters/songs/replay')).toBe(200)
  expect(await ops('dead-letters/songs/1/replay')).toBe(404)
  expect(await ops('dead-letters/songs/1/discard', { reason: 'test' })).toBe(404)
  expect(await ops(`mails/${song.id}/resend`)).toBe(404)
}
