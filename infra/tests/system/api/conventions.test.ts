import { expect, test } from 'vitest'
import { expectRefusal, sharedProduct, somebody } from '../../support/callers.ts'

/** What the public endpoint promises of every request, on real services. */

const product = await sharedProduct()
const ada = await somebody(product)

const song = { lyrics: 'la', style: 'folk' }

test('fields that a client may not set are ignored, and a malformed id is as unknown as any other', async () => {
  const json = {
    ...song,
    id: '00000000-0000-7000-8000-000000000000',
    uid: 'somebody',
    username: 'Eve',
    email: 'eve@example.test',
    status: 'ready',
    charged: true,
    charge: 'gift',
    createdAt: 1,
    storagePath1: 'x',
    constructor: { prototype: { charged: true } },
  }
  const before = Date.now()
  const { body } = await ada.call<Record<string, unknown>>('POST', '/api/songs', { json })
  expect(body).toMatchObject({
    ...song,
    uid: ada.uid,
    email: ada.email,
    username: 'Ada Obi',
    status: 'pending',
  })
  expect(body['id']).not.toBe(json.id)
  expect(body).toMatchObject({ charged: false, updatedAt: null, downloadUrl1: null, downloadUrl2: null })
  expect(body).not.toHaveProperty('storagePath1')
  expect(body['createdAt']).toBeGreaterThanOrEqual(before)
  for (const id of ['1', '-', '%00', '..', 'a'.repeat(2000), json.id])
    expectRefusal(await ada.call('GET', `/api/songs/${id}`), 404, 'song_not_found')
  for (const id of ['1', '%27%20or%201=1', json.id])
    expectRefusal(await ada.call('GET', `/api/payments/${id}`), 404, 'payment_not_found')
})

test('a query parameter may occur once, with text that can be stored', async () => {
  for (const path of [
    '/api/songs?limit=1&limit=1',
    '/api/songs?q=a&q=b',
    '/api/songs?status=ready&status=ready',
  ])
    expectRefusal(await ada.call('GET', path), 400, 'invalid_request')
  expectRefusal(await ada.call('GET', '/api/songs?q=a%00'), 400, 'invalid_text')
  for (const path of [
    '/api/songs?q=%ff%fe',
    '/api/songs?q=%ed%a0%80',
    '/api/songs?q=%',
    '/api/songs?__proto__=x',
  ])
    expect((await ada.call('GET', path)).status).toBeLessThan(500)
})

test('lists accept a limit of 1 to 100 and their own cursors, and pages neither repeat nor skip items', async () => {
  const reader = await somebody(product)
  const add = async (lyrics: string): Promise<void> => {
    await reader.call('POST', '/api/songs', { json: { lyrics, style: 'x' } })
  }
  for (let n = 1; n <= 5; n++) await add(String(n))
  interface List {
    items: { lyrics: string }[]
    nextCursor: string | null
  }
  const first = await reader.call<List>('GET', '/api/songs?limit=2')
  await add('6')
  const second = await reader.call<List>('GET', `/api/songs?limit=2&cursor=${first.body.nextCursor}`)
  const third = await reader.call<List>('GET', `/api/songs?limit=2&cursor=${second.body.nextCursor}`)
  const seen = [first, second, third].map((page) => page.body.items.map(({ lyrics }) => lyrics))
  expect(seen).toEqual([['5', '4'], ['3', '2'], ['1']])
  expect(third.body.nextCursor).toBeNull()
  const nul = Buffer.from(JSON.stringify(['\0', 1, crypto.randomUUID()])).toString('base64url')
  expectRefusal(await reader.call('GET', `/api/songs?sort=title&cursor=${nul}`), 400, 'invalid_cursor')
  const lists = ['/api/songs', '/api/credits/entries', '/api/payments']
  for (const list of lists) {
    for (const limit of ['0', '101', '-1', '1.5', '1e1', 'ten', '', '%2010', '+5', '05'])
      expectRefusal(await reader.call('GET', `${list}?limit=${limit}`), 400, 'invalid_request')
    for (const limit of ['1', '100'])
      expect((await reader.call('GET', `${list}?limit=${limit}`)).status).toBe(200)
    for (const cursor of ['x', '', 'null', 'W10', 'a'.repeat(600), '%00', 'WyJhIiwiYiJd', 'WzEsIngiXQ'])
      expectRefusal(
        await reader.call('GET', `${list}?cursor=${cursor}`),
        400,
        cursor === '%00' ? 'invalid_text' : 'invalid_cursor',
      )
  }
})

test('a request under an Idempotency-Key has one effect, and the key is bound to its person, path and body', async () => {
  const eve = await somebody(product)
  const keyed = (key: string, json: unknown = song) => ({ json, headers: { 'idempotency-key': key } })
  const first = await ada.call<{ id: string }>('POST', '/api/songs', keyed('k1'))
  const again = await ada.call<{ id: string }>('POST', '/api/songs', keyed('k1'))
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(first.headers).not.toHaveProperty('idempotency-replayed')
  expectRefusal(
    await ada.call('POST', '/api/songs', keyed('k1', { ...song, lyrics: 'other' })),
    422,
    'idempotency_key_reused',
  )
  const others = await eve.call<{ id: string }>('POST', '/api/songs', keyed('k1'))
  expect(others.body.id).not.toBe(first.body.id)
  expect((await ada.call('POST', '/api/payments', keyed('k1', { amount: 25 }))).status).toBe(200)

  const many = await Promise.all(
    Array.from({ length: 8 }, () => ada.call<{ id?: string }>('POST', '/api/songs', keyed('k2'))),
  )
  expect(new Set(many.flatMap(({ body }) => body.id ?? [])).size).toBe(1)
  for (const reply of many) if (reply.status !== 201) expectRefusal(reply, 409, 'request_in_progress')

  expectRefusal(
    await ada.call('POST', '/api/songs', keyed('k3', { ...song, lyrics: '' })),
    400,
    'lyrics_and_style_required',
  )
  expect((await ada.call('POST', '/api/songs', keyed('k3'))).status).toBe(201)
  for (const key of ['', 'with space', 'a'.repeat(256), '\u00e9', 'tab\tkey'])
    expectRefusal(await ada.call('POST', '/api/songs', keyed(key)), 400, 'invalid_idempotency_key')
  expect((await ada.call('POST', '/api/songs', keyed('~'.repeat(255)))).status).toBe(201)
  for (const path of ['/api/operator/unlock', '/api/webhooks/stripe'])
    expect((await ada.call('POST', path, keyed(''))).body.code).not.toBe('invalid_idempotency_key')
})
