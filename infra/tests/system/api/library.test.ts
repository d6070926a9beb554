import type { Song } from '@prelude/contracts'
import { beforeAll, expect, test, vi } from 'vitest'
import { fulfil } from '../../support/audio-files.ts'
import {
  expectRefusal,
  giveCredits,
  POLL,
  productOfFile,
  requestSong,
  settled,
  type Somebody,
  somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { readZip } from './read-zip.ts'

/** How an owner keeps songs in order, from outside. */

const product = productOfFile()
let operator: Somebody
beforeAll(async () => void (operator = await unlockedOperator(product())))

interface List {
  items: Song[]
  nextCursor: string | null
}
const titlesOf = ({ items }: List): (string | null)[] => items.map(({ title }) => title)

test('title, favourite, preferred version and archive are the owner’s, at any time', async () => {
  const owner = await somebody(product())
  const { id, revision } = await requestSong(owner)
  const path = `/api/songs/${id}`
  const patch = (json: unknown) => owner.call<Song>('PATCH', path, { json })
  const marks = { title: '🎵'.repeat(120), favourite: true, preferred: 2, archived: true }
  const { status, body } = await patch(marks)
  expect([status, body]).toEqual([200, { ...body, ...marks }])
  expect(body.revision).toBe(revision + 1)
  expect((await patch({ preferred: null, title: '' })).body).toMatchObject({
    ...marks,
    title: null,
    preferred: null,
  })
  for (const [json, at] of [
    [{ title: 'x'.repeat(121) }, 'title'],
    [{ title: 5 }, 'title'],
    [{ favourite: null }, 'favourite'],
    [{ favourite: 'true' }, 'favourite'],
    [{ preferred: 3 }, 'preferred'],
    [{ preferred: '1' }, 'preferred'],
    [{ archived: 1 }, 'archived'],
  ] as const) {
    const refused = await patch(json)
    expectRefusal(refused, 400, 'invalid_request')
    expect(JSON.stringify(refused.body)).toContain(at)
  }
  expectRefusal(await patch({ title: '\0' }), 400, 'invalid_text')
  expectRefusal(await operator.call('PATCH', path, { json: { favourite: false } }), 404, 'song_not_found')
  expect((await owner.call<Song>('GET', path)).body).toMatchObject({ favourite: true, archived: true })
})

test('the list leaves archived songs out, knows favourites, and sorts by title page by page', async () => {
  const owner = await somebody(product())
  for (const title of ['b', null, 'Ä', 'c'])
    await owner.call('PATCH', `/api/songs/${(await requestSong(owner)).id}`, {
      json: { title, favourite: title === 'b', archived: title === 'c' },
    })
  const list = async (query: string) => (await owner.call<List>('GET', `/api/songs?${query}`)).body
  expect(titlesOf(await list(''))).toEqual(['Ä', null, 'b'])
  expect(titlesOf(await list('archived=false'))).toEqual(['Ä', null, 'b'])
  expect(titlesOf(await list('archived=true'))).toEqual(['c'])
  expect(titlesOf(await list('favourite=true'))).toEqual(['b'])
  expect(titlesOf(await list('favourite=false&sort=newest'))).toEqual(['Ä', null])
  expect(titlesOf(await list('q=%C3%A4'))).toEqual(['Ä'])
  const titles: (string | null)[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: List = await list(`sort=title&limit=1${cursor && `&cursor=${cursor}`}`)
    titles.push(...titlesOf(page))
    cursor = page.nextCursor
  }
  expect(titles).toEqual(['Ä', 'b', null])
  for (const query of ['archived=1', 'favourite=', 'sort=date', 'sort=title&sort=title'])
    expectRefusal(await owner.call('GET', `/api/songs?${query}`), 400, 'invalid_request')
  // the operator's list is of work, which goes on
  expect((await operator.call<List>('GET', '/api/operator/songs?limit=1')).body.items[0]?.title).toBe('c')
})

test('saved files and the ZIP follow the title, without one the style', async () => {
  const owner = await somebody(product())
  await giveCredits(operator, owner.uid, 10)
  const { id } = await requestSong(owner, { style: 'Slow / folk' })
  await fulfil(operator, id)
  await settled(product())
  const path = `/api/songs/${id}`
  const nameOf = async (file: string): Promise<string> => {
    const { headers } = await owner.call('GET', `${path}/${file}`)
    return decodeURIComponent(/filename\*=UTF-8''(.*)$/.exec(headers['content-disposition'] ?? '')?.[1] ?? '')
  }
  const titled = 'versions/2?download=1&as=title'
  await vi.waitFor(async () => expect(await nameOf(titled)).toMatch(/^Slow folk \(Version 2\)\.\w+$/), POLL)
  expect(await nameOf('download')).toBe('Slow folk.zip')
  await owner.call('PATCH', path, { json: { title: 'Rain' } })
  expect(await nameOf(titled)).toMatch(/^Rain \(Version 2\)\.\w+$/)
  expect(await nameOf('versions/2?download=1')).not.toContain('Rain')
  expect(await nameOf('download')).toBe('Rain.zip')
  const files = [...readZip((await owner.call('GET', `${path}/download`)).bytes).keys()]
  expect(files.filter((name) => name.startsWith('Rain (Version '))).toHaveLength(2)
})
