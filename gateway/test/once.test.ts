import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { AppError, newId, Unavailable } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { claimKey, keepAnswer, renewKey } from '../src/api/store/idempotency-keys.ts'
import { creditsStub, songOf, songsStub } from './stand-ins.ts'
import { ADA, EVE, startGateway, uidOf } from './start-gateway.ts'

const text = { lyrics: 'la', style: 'folk' }
const key = { 'idempotency-key': 'k-1' }

test('the same key with the same bytes gives the first answer again and one song', async () => {
  const songs = songsStub()
  await using gateway = await startGateway({ services: { songs: songs.routes } })
  const ada = await gateway.signIn(ADA)
  const first = await ada.post('/api/songs', text, key)
  const again = await ada.post('/api/songs', text, key)
  expect([first.status, again.status]).toEqual([201, 201])
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await again.text()).toBe(await first.text())
  expect(songs.songs.size).toBe(1)
  const other = await ada.post('/api/songs', { ...text, style: 'rock' }, key)
  expect([other.status, (await other.json()).code]).toEqual([422, 'idempotency_key_reused'])
  const eve = await gateway.signIn(EVE)
  expect((await eve.post('/api/songs', text, key)).headers.get('idempotency-replayed')).toBeNull()
  expect(songs.songs.size).toBe(2)
})

test('a key that is empty, too long or not visible ASCII is refused', async () => {
  await using gateway = await startGateway({ services: { songs: songsStub().routes } })
  const ada = await gateway.signIn(ADA)
  for (const bad of ['', 'x'.repeat(256), 'with space', 'é']) {
    const answer = await ada.post('/api/songs', text, { 'idempotency-key': bad })
    expect([bad, answer.status, (await answer.json()).code]).toEqual([bad, 400, 'invalid_idempotency_key'])
  }
})

test('a call that needs no body is repeated under its key too; a body that is sent is judged like any other', async () => {
  const song = songOf({ id: newId(), uid: uidOf(ADA) })
  let cancelled = 0
  const songs = (app: FastifyInstance): void => {
    app.get('/songs/:id', async () => song)
    app.post('/songs/:id/cancel', async () => {
      if (cancelled++ > 0) throw new AppError('song_closed')
      return { ...song, status: 'cancelled' }
    })
  }
  await using gateway = await startGateway({ services: { songs } })
  const ada = await gateway.signIn(ADA)
  const cancel = (body?: string, headers: Record<string, string> = key) =>
    ada.post(`/api/songs/${song.id}/cancel`, body, headers)
  for (const [body, headers, status, code] of [
    [undefined, { 'idempotency-key': '' }, 400, 'invalid_idempotency_key'],
    ['', key, 400, 'malformed_json'],
    ['[]', key, 400, 'invalid_request'],
    ['x', { ...key, 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    [JSON.stringify({ x: 'x'.repeat(2 ** 20) }), key, 413, 'body_too_large'],
  ] as const) {
    const refused = await cancel(body, headers)
    expect([refused.status, (await refused.json()).code]).toEqual([status, code])
  }
  expect(cancelled).toBe(0)
  const first = await cancel()
  const again = await cancel()
  expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true'])
  expect(await again.text()).toBe(await first.text())
  expect(cancelled).toBe(1)
  expect(await (await cancel('{}')).json()).toMatchObject({ code: 'idempotency_key_reused' })
  expect(await (await cancel('{}', {})).json()).toMatchObject({ code: 'song_closed' })
  for (const replayed of [null, 'true']) {
    const answer = await ada.post('/api/auth/logout-everywhere', undefined, key)
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([204, replayed])
  }
})

test('every POST takes a key, but those that say what a session may do, webhooks, uploads and reports', async () => {
  await using gateway = await startGateway()
  const { paths } = (await (await gateway.visitor().get('/api/openapi.json')).json()) as {
    paths: Record<string, { post?: { parameters?: { name: string }[] } }>
  }
  const keyless = Object.entries(paths).flatMap(([path, { post }]) =>
    post && !post.parameters?.some(({ name }) => name === 'idempotency-key') ? [path] : [],
  )
  expect(keyless.toSorted()).toEqual([
    '/api/auth/logout',
    '/api/client-errors',
    '/api/operator/lock',
    '/api/operator/unlock',
    '/api/operator/uploads',
    '/api/web-vitals',
    '/api/webhooks/paystack',
    '/api/webhooks/stripe',
  ])
})

test('many at once with one key make one song', async () => {
  const songs = songsStub()
  await using gateway = await startGateway({ services: { songs: songs.routes } })
  const ada = await gateway.signIn(ADA)
  const answers = await Promise.all(Array.from({ length: 8 }, () => ada.post('/api/songs', text, key)))
  const statuses = answers.map(({ status }) => status)
  expect(statuses).toContain(201)
  expect(statuses.every((status) => status === 201 || status === 409)).toBe(true)
  expect(songs.songs.size).toBe(1)
})

test('a repeat while the first one still runs is refused and has no effect', async () => {
  const ids: string[] = []
  const running = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  await using gateway = await startGateway({
    services: {
      songs: (app) =>
        void app.put('/songs/:id', async (request) => {
          const { id } = request.params as { id: string }
          ids.push(id)
          running.resolve()
          await finish.promise
          return songOf({ id })
        }),
    },
  })
  const ada = await gateway.signIn(ADA)
  const first = ada.post('/api/songs', text, key)
  await running.promise
  const repeat = ada.post('/api/songs', text, key)
  const answer = await Promise.race([repeat, first])
  finish.resolve()
  expect([answer.status, (await answer.json()).code]).toEqual([409, 'request_in_progress'])
  expect((await first).status).toBe(201)
  expect(ids).toHaveLength(1)
})

test('an act on a song whose answer was lost is repeated under its key as the same call; without the key, or by another person, as another', async () => {
  const song = songOf({ id: newId(), uid: uidOf(ADA), charge: 'charged' })
  const done = new Map<string, string>()
  let isLost = true
  const songs = (app: FastifyInstance): void => {
    app.get('/songs/:id', async () => song)
    for (const act of ['cancel', 'decline', 'refund', 'changes'])
      app.post(`/songs/:id/${act}`, async (request) => {
        const { callId = '' } = request.query as { callId?: string }
        if (done.has(act) && done.get(act) !== callId) throw new AppError('song_closed')
        done.set(act, callId)
        if (isLost) throw new Unavailable('songs')
        return song
      })
  }
  await using gateway = await startGateway({ services: { songs } })
  const [ada, operator] = [await gateway.signIn(ADA), await gateway.operator()]
  const notes = [{ version: 1, text: 'louder' }]
  for (const [person, path, body] of [
    [ada, `/api/songs/${song.id}/cancel`, {}],
    [ada, `/api/songs/${song.id}/changes`, { notes }],
    [operator, `/api/operator/songs/${song.id}/decline`, { reason: 'x' }],
    [operator, `/api/operator/songs/${song.id}/refund`, { reason: 'x' }],
  ] as const) {
    const act = async (headers?: Record<string, string>): Promise<unknown[]> => {
      const answer = await person.post(path, body, headers)
      return [answer.status, answer.headers.get('idempotency-replayed')]
    }
    isLost = true
    expect(await act(key)).toEqual([503, null])
    isLost = false
    for (const other of [undefined, { 'idempotency-key': 'k-2' }])
      expect(await act(other)).toEqual([409, null])
    expect(await act(key)).toEqual([200, null])
    expect(await act(key)).toEqual([200, 'true'])
  }
  expect(new Set(done.values()).size).toBe(4) // the key of one person and path is not that of another
})

test('a refusal that can be corrected, or says to try again, frees the key', async () => {
  const songs = songsStub()
  const services = { songs: songs.routes, credits: creditsStub().routes }
  await using gateway = await startGateway({ services })
  const ada = await gateway.signIn(ADA)
  expect((await ada.post('/api/songs', { lyrics: '', style: 'x' }, key)).status).toBe(400)
  const made = await ada.post('/api/songs', text, key)
  expect(made.status).toBe(201)
  const operator = await gateway.operator()
  const { id } = (await made.json()) as { id: string }
  const refund = async (): Promise<unknown[]> => {
    const answer = await operator.post(`/api/operator/songs/${id}/refund`, { reason: 'x' }, key)
    return [answer.status, answer.headers.get('idempotency-replayed')]
  }
  const song = songs.songs.get(id)!
  songs.songs.delete(id)
  expect(await refund()).toEqual([404, null])
  songs.songs.set(id, { ...song, charge: 'deciding' })
  expect(await refund()).toEqual([409, null])
  songs.songs.set(id, { ...song, charge: 'charged' })
  expect(await refund()).toEqual([200, null])
  expect(await refund()).toEqual([200, 'true'])
})

test('an answer without a body, and a refusal of what can never be, are given again', async () => {
  let resends = 0
  await using gateway = await startGateway({
    services: {
      songs: (app) =>
        void app.put('/songs/:id', async () => {
          throw new AppError('idempotency_key_reused') // the one code of status 422
        }),
      notifier: (app) =>
        void app.post('/messages/:id/resend', async () => {
          resends++
          return {}
        }),
    },
  })
  const operator = await gateway.operator()
  const path = `/api/operator/ops/mails/${newId()}/resend`
  const sent = [await operator.post(path, {}, key), await operator.post(path, {}, key)]
  expect(sent.map(({ status }) => status)).toEqual([204, 204])
  expect(sent.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true'])
  expect(resends).toBe(1)
  const ada = await gateway.signIn(ADA)
  const refused = [await ada.post('/api/songs', text, key), await ada.post('/api/songs', text, key)]
  expect(refused.map(({ status }) => status)).toEqual([422, 422])
  expect(refused[1]?.headers.get('idempotency-replayed')).toBe('true')
})

test('after a failure the same request goes again under the same id, so an effect that did happen is not doubled', async () => {
  const ids: string[] = []
  await using gateway = await startGateway({
    services: {
      songs: (app) =>
        void app.put('/songs/:id', async (request) => {
          const { id } = request.params as { id: string }
          ids.push(id)
          if (ids.length === 1) throw new AppError('unavailable')
          return songOf({ id })
        }),
    },
  })
  const ada = await gateway.signIn(ADA)
  const failed = await ada.post('/api/songs', text, key)
  expect([failed.status, (await failed.json()).code]).toEqual([503, 'submit_failed'])
  expect((await ada.post('/api/songs', text, key)).status).toBe(201)
  expect(ids[0]).toBe(ids[1])
})

test('the key of a request that still runs is renewed, so that no repeat takes it over', async () => {
  const running = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  await using gateway = await startGateway({
    services: {
      songs: (app) =>
        void app.put('/songs/:id', async (request) => {
          running.resolve()
          await finish.promise
          return songOf(request.params as { id: string })
        }),
    },
  })
  const startedAt = async (): Promise<number> => {
    const { rows } = await gateway.service.db.query<{ at: number }>(
      'select started_at as at from idempotency_key',
    )
    return Number(rows[0]?.at)
  }
  const ada = await gateway.signIn(ADA)
  const first = ada.post('/api/songs', text, key)
  await running.promise
  const begun = await startedAt()
  gateway.clock.pass(10_000)
  await eventually(async () => expect(await startedAt()).toBeGreaterThan(begun))
  finish.resolve()
  expect((await first).status).toBe(201)
  const ended = await startedAt()
  gateway.clock.pass(60_000)
  expect((await ada.post('/api/songs', text, key)).headers.get('idempotency-replayed')).toBe('true')
  expect(await startedAt()).toBe(ended)
})

test('a key left running is taken over 30 s after its last renewal with its id, and the attempt before cannot write the answer', async () => {
  await using gateway = await startGateway()
  const { db } = gateway.service
  const scope = { uid: 'u', method: 'POST', path: '/x', key: 'k' }
  const first = await claimKey(db, scope, 'print', 1_000_000)
  expect(await claimKey(db, scope, 'print', 1_029_000)).toEqual({ state: 'running' })
  const attempt = first.state === 'run' ? first.attempt : ''
  await renewKey(db, scope, attempt, 1_010_000)
  expect(await claimKey(db, scope, 'print', 1_039_000)).toEqual({ state: 'running' })
  const second = await claimKey(db, scope, 'print', 1_041_000)
  if (first.state !== 'run' || second.state !== 'run') throw new Error('not claimed')
  expect(second.resourceId).toBe(first.resourceId)
  await keepAnswer(db, scope, first.attempt, { status: 200, body: 'late' })
  await keepAnswer(db, scope, second.attempt, { status: 201, body: 'good' })
  expect(await claimKey(db, scope, 'print', 1_042_000)).toEqual({
    state: 'replay',
    status: 201,
    body: 'good',
  })
  const nextDay = await claimKey(db, scope, 'other', 1_000_001 + 24 * 3_600_000)
  expect(nextDay).toMatchObject({ state: 'run' })
})
