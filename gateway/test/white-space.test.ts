import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { songOf, songsStub } from './stand-ins.ts'
import { ADA, startGateway, uidOf } from './start-gateway.ts'

/** White space is what Unicode calls White_Space: U+0085 is, which `trim` keeps. */
const BLANK = '\u0085\u2003\u3000'

test('a title or a field of a brief of white space alone is none; other texts are stored as they were sent', async () => {
  const stub = songsStub()
  const id = newId()
  stub.songs.set(id, songOf({ id, uid: uidOf(ADA) }))
  const changes: unknown[] = []
  const songs: typeof stub.routes = (app) => {
    stub.routes(app)
    app.post('/songs/:id/change', async (request) => {
      changes.push(request.body)
      return stub.songs.get(id)
    })
  }
  await using gateway = await startGateway({ services: { songs } })
  const ada = await gateway.signIn(ADA)

  for (const title of [BLANK, '', `${BLANK}Rain `]) {
    const init = { method: 'PATCH', headers: { 'content-type': 'application/json' } }
    const answer = await ada.send(`/api/songs/${id}`, { ...init, body: JSON.stringify({ title }) })
    expect(answer.status).toBe(200)
  }
  expect(changes).toEqual([{ title: null }, { title: null }, { title: `${BLANK}Rain ` }])

  const request = { lyrics: 'la', style: 'folk' }
  const brief = { genre: BLANK, mood: `${BLANK}sad`, instruments: [BLANK, ' horns'], voice: '' }
  for (const sent of [brief, { genre: BLANK, instruments: [BLANK] }])
    expect((await ada.post('/api/songs', { ...request, brief: sent })).status).toBe(201)
  expect([...stub.songs.values()].slice(1).map((song) => song.brief)).toEqual([
    { mood: `${BLANK}sad`, instruments: [' horns'] },
    null,
  ])
})
