import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { creditsStub, songsStub } from './stand-ins.ts'
import { ADA, OPERATOR, PASSWORD, startGateway } from './start-gateway.ts'

/** Expiry, but that of sessions and of their unlock (sessions.test.ts). */

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const services = { songs: songsStub().routes, credits: creditsStub().routes }

test('an idempotency key gets its first answer for 24 hours', async () => {
  await using gateway = await startGateway({ services })
  const ada = await gateway.signIn(ADA)
  const submit = async () => {
    const answer = await ada.post(
      '/api/songs',
      { lyrics: 'la', style: 'folk' },
      { 'idempotency-key': 'one-key' },
    )
    const { id } = (await answer.json()) as Song
    return { id, status: answer.status, replayed: answer.headers.get('idempotency-replayed') }
  }
  const first = await submit()
  gateway.clock.pass(DAY_MS - MINUTE_MS)
  expect(await submit()).toEqual({ ...first, replayed: 'true' })
  gateway.clock.pass(2 * MINUTE_MS)
  const later = await submit()
  expect(later).toMatchObject({ status: 201, replayed: null })
  expect(later.id).not.toBe(first.id)
})

test('after five wrong passwords the right one is accepted again after 15 minutes', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.signIn(OPERATOR)
  const unlock = async (password: string) =>
    (await operator.post('/api/operator/unlock', { password })).status
  for (let n = 0; n < 5; n++) expect(await unlock('wrong')).toBe(403)
  expect(await unlock(PASSWORD)).toBe(429)
  gateway.clock.pass(14 * MINUTE_MS)
  expect(await unlock(PASSWORD)).toBe(429)
  gateway.clock.pass(2 * MINUTE_MS)
  expect(await unlock(PASSWORD)).toBe(204)
})

test('a live stream ends with its session, after comments that have kept it open', async () => {
  await using gateway = await startGateway({ services })
  const stream = await (await gateway.signIn(ADA)).get('/api/live')
  let received = ''
  const reading = (async () => {
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) received += chunk
  })()
  gateway.clock.pass(MINUTE_MS)
  await eventually(() => expect(received).toMatch(/^event: ready\n[^]*^: /m))
  gateway.clock.pass(7 * DAY_MS)
  await reading
})

test('no idempotency key expires by the clock of a gateway that is a day ahead of its database', async () => {
  const songs = songsStub()
  await using gateway = await startGateway({ services: { ...services, songs: songs.routes } })
  const ada = await gateway.signIn(ADA)
  const submit = () =>
    ada.post('/api/songs', { lyrics: 'la', style: 'folk' }, { 'idempotency-key': 'one-key' })
  const first = await (await submit()).text()
  gateway.clock.drift(DAY_MS + MINUTE_MS)
  expect((await submit()).status).toBe(503)
  gateway.clock.drift(-DAY_MS - MINUTE_MS)
  expect(await (await submit()).text()).toBe(first)
  expect(songs.songs.size).toBe(1)
})
