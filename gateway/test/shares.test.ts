import type { SharedSong, Song } from '@prelude/contracts'
import { AppError, newId } from '@prelude/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { songOf, songsStub } from './stand-ins.ts'
import { ADA, PUBLIC_URL, startGateway, uidOf } from './start-gateway.ts'

const shareOf = (song: Song, isOver = () => false, chosen: object = {}) => {
  const stub = songsStub()
  const share = {
    id: newId(),
    songId: song.id,
    token: TOKEN,
    versions: [1, 2],
    lyrics: false,
    download: false,
    ...chosen,
  }
  return (app: FastifyInstance): void => {
    stub.routes(app)
    app.post('/shares/open', async (request) => {
      if ((request.body as { token: string }).token !== TOKEN) throw new AppError('share_not_found')
      if (isOver()) throw new AppError('share_ended')
      return {
        share: { ...share, expiresAt: null, plays: 0, createdAt: 1, endedAt: null },
        song,
        durationsMs: { 1: 1, 2: 1 },
      }
    })
  }
}
const SONG = songOf({ id: newId(), uid: uidOf(ADA), status: 'ready', storagePath1: 'a', storagePath2: 'b' })

const TOKEN = 'x'.repeat(22)

/** Begins an answer of storage and never ends it, for each of `most` requests of one address. */
async function holdAll(path: string, most: number, limited: boolean) {
  let open = 0
  const hold = (request: FastifyRequest, reply: FastifyReply): void => {
    void reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 10 })
    reply.raw.write('12345')
    open++
    request.raw.once('close', () => open--)
  }
  const gateway = await startGateway({
    services: { songs: shareOf(SONG), storage: (app) => app.get('/audio', hold).get('/waveform', hold) },
    config: { rateLimits: limited, trustedProxyHops: 1 },
  })
  await gateway.signIn(ADA) // whose song it is
  let leaving = new AbortController()
  const answers: Response[] = [] // one that is garbage collected is cancelled
  const from = async (address: string, one = path): Promise<Response> => {
    const headers = { 'x-forwarded-for': address }
    const answer = await fetch(gateway.base + one, { headers, signal: leaving.signal })
    answers.push(answer)
    return answer
  }
  for (let n = 0; n < most; n++) from('203.0.113.7').catch(() => {})
  await eventually(() => expect(open).toBe(most))
  const leave = (): void => {
    leaving.abort()
    leaving = new AbortController()
  }
  return { gateway, from, leave }
}

test('an address plays 20 links at once, also without limits; pages and other addresses go on', async () => {
  const audio = `/api/shares/${TOKEN}/versions/1`
  const { gateway, from, leave } = await holdAll(audio, 20, false)
  await using _ = gateway
  const refused = await from('203.0.113.7')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  expect((await from('203.0.113.8')).status).toBe(200)
  expect((await from('203.0.113.7', `/s/${TOKEN}`)).status).toBe(200)
  leave()
  await eventually(async () => expect((await from('203.0.113.7')).status).toBe(200))
  leave()
})

test('an address reads 100 pages of links at once, and leaves the others alone', async () => {
  const wave = `/api/shares/${TOKEN}/versions/1/waveform`
  const { gateway, from, leave } = await holdAll(wave, 100, true)
  await using _ = gateway
  for (const one of [wave, `/s/${TOKEN}`, `/s/${TOKEN}/cover.png`, `/api/shares/${TOKEN}`]) {
    const refused = await from('203.0.113.7', one)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  }
  for (const one of [`/s/${TOKEN}`, `/s/${TOKEN}/cover.png`])
    expect((await from('203.0.113.8', one)).status).toBe(200)
  leave()
})

test('the page of a link has a preview for messengers, in its head and without scripts', async () => {
  let isOver = false
  const title = `</title><script>alert("$&")</script>\u0085\u202e${'🎵'.repeat(200)}`
  const songs = shareOf({ ...SONG, title, lyrics: 'secret words' }, () => isOver)
  await using gateway = await startGateway({ services: { songs } })
  await gateway.signIn({ ...ADA, name: '<b>"Ada" Lovelace' })
  const page = async (path = `/s/${TOKEN}`) => {
    const answer = await fetch(gateway.base + path)
    return { answer, html: await answer.text() }
  }
  const { answer, html } = await page()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'cache-control': 'no-store',
  })
  const head = html.slice(0, html.indexOf('</head>'))
  const contents = Object.fromEntries(
    [...head.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"<>]*)"(?: \/)?>/g)].map(
      ([, name = '', content = '']) => [name, content],
    ),
  )
  const url = `${PUBLIC_URL}/s/${TOKEN}`
  expect(contents).toMatchObject({
    robots: 'noindex',
    'og:url': url,
    'og:image': `${url}/cover.png`,
    'og:image:type': 'image/png',
    'og:audio': `${PUBLIC_URL}/api/shares/${TOKEN}/versions/1`,
    'twitter:card': 'summary_large_image',
    'og:title': expect.stringMatching(
      /^&#60;\/title&#62;&#60;script&#62;alert\(&#34;\$&#38;&#34;\).*🎵…$/u,
    ) as string,
    'og:description': 'A song · Prelude &#60;3',
  })
  expect(html.match(/<title>/g)).toHaveLength(1)
  // a title turns no text beside it
  const tags = head.slice(0, head.indexOf('<script id'))
  expect(tags).toMatch(/<title>[^<]* \ufffd🎵+… · Prelude/u)
  expect(tags).not.toContain('\u202e')
  const [, embedded = ''] =
    /<script id="shared-song" type="application\/json">(.*)<\/script>/.exec(head) ?? []
  expect(JSON.parse(embedded)).toEqual(await (await fetch(`${gateway.base}/api/shares/${TOKEN}`)).json())
  expect(html).not.toMatch(/<script>alert|secret words|<b>|Ada@|Lovelace/)
  const head2 = await fetch(`${gateway.base}/s/${TOKEN}`, { method: 'HEAD' })
  expect(head2.status).toBe(200)

  for (const over of [false, true]) {
    isOver = over
    const other = await page(over ? undefined : `/s/${'y'.repeat(22)}`)
    expect([other.answer.status, other.answer.headers.get('referrer-policy')]).toEqual([
      over ? 410 : 404,
      'no-referrer',
    ])
    expect(other.html).toContain('noindex')
    expect(other.html).not.toMatch(/og:|shared-song/)
    // sent as it is kept: what is compressed for one request has no length before its end, and a page as short as this is not
    expect(other.answer.headers.get('content-encoding')).toBe('gzip')
    expect(other.answer.headers.get('content-length')).not.toBeNull()
  }
  expect((await fetch(`${gateway.base}/s/${TOKEN}/cover.png`)).status).toBe(410)
})

test('a link gives what its owner chose, and nothing else', async () => {
  const answersOf = async (chosen: object) => {
    const storage = (app: FastifyInstance) => app.get('/audio', async () => 'la')
    const songs = shareOf({ ...SONG, lyrics: 'la la' }, undefined, chosen)
    await using gateway = await startGateway({ services: { songs, storage } })
    await gateway.signIn(ADA)
    const visitor = gateway.visitor()
    const shown = (await (await visitor.get(`/api/shares/${TOKEN}`)).json()) as SharedSong
    const paths = ['versions/1', 'versions/2', 'versions/2?download=1', 'versions/1/waveform', 'versions/3']
    const answers = paths.map(async (path) => (await visitor.get(`/api/shares/${TOKEN}/${path}`)).status)
    return [shown.versions.map(({ n }) => n), shown.lyrics, ...(await Promise.all(answers))]
  }
  expect(await answersOf({ versions: [2] })).toEqual([[2], null, 404, 200, 403, 404, 404])
  expect(await answersOf({ versions: [2], lyrics: true, download: true })).toEqual([
    [2],
    'la la',
    ...[404, 200, 200, 404, 404],
  ])
})

test('a preview is in the language of the app that is asked for', async () => {
  await using gateway = await startGateway({ services: { songs: shareOf(SONG) } })
  await gateway.signIn({ ...ADA, name: 'Lovelace Ada', given_name: 'Ada' })
  for (const [language, by, drawing] of [
    ['fr-CH, fr;q=0.9, en;q=0.8', 'Une chanson signée Ada', 'Une pochette dessinée'],
    ['de, en;q=0.5, PT-br;q=0.7', 'Uma música de Ada', 'Uma capa desenhada'],
    ['fr;q=0, de', 'A song by Ada', 'A drawn cover'],
    ['*', 'A song by Ada', 'A drawn cover'],
  ] as const) {
    const answer = await fetch(`${gateway.base}/s/${TOKEN}`, { headers: { 'accept-language': language } })
    expect(answer.headers.get('vary')).toMatch(/accept-language/)
    const html = await answer.text()
    expect(html).toContain(`<meta property="og:description" content="${by} · Prelude &#60;3">`)
    expect(html).toContain(`<meta property="og:image:alt" content="${drawing}">`)
  }
})

test('the cover is a PNG drawn from the song’s id, the same each time', async () => {
  // the last digits of an id choose motif and colours
  const other = { ...SONG, id: `${SONG.id.slice(0, -1)}${SONG.id.endsWith('0') ? 1 : 0}` }
  const draw = async (song: Song): Promise<Buffer> => {
    await using gateway = await startGateway({ services: { songs: shareOf(song) } })
    await gateway.signIn(ADA)
    const answers = await Promise.all([1, 2].map(() => fetch(`${gateway.base}/s/${TOKEN}/cover.png`)))
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual(['image/png', 'image/png'])
    const [etag = ''] = answers.map(({ headers }) => headers.get('etag') ?? '')
    const known = { headers: { 'if-none-match': `"other", ${etag}` } }
    const again = await fetch(`${gateway.base}/s/${TOKEN}/cover.png`, known)
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    const [first, second] = await Promise.all(
      answers.map(async (one) => Buffer.from(await one.arrayBuffer())),
    )
    expect(first?.equals(second ?? Buffer.of())).toBe(true)
    return first ?? Buffer.of()
  }
  const [one, again, another] = [await draw(SONG), await draw(SONG), await draw(other)]
  expect(one.subarray(1, 4).toString()).toBe('PNG')
  expect([one.readUInt32BE(16), one.readUInt32BE(20)]).toEqual([1200, 630])
  expect(one.equals(again)).toBe(true)
  expect(one.equals(another)).toBe(false)
})
