import { randomUUID } from 'node:crypto'
import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import {
  giveCredits,
  sharedProduct,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs, statement } from '../../support/checkout.ts'

const product = await sharedProduct()
const operator = await unlockedOperator(product)

const many = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

async function songsOf(person: Somebody): Promise<Song[]> {
  const songs: Song[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/songs?limit=100${cursor && `&cursor=${cursor}`}`
    const { body } = await person.call<{ items: Song[]; nextCursor: string | null }>('GET', path)
    songs.push(...body.items)
    cursor = body.nextCursor
  }
  return songs
}

const settled = (person: Somebody): Promise<Song[]> =>
  eventually(async () => {
    const songs = await songsOf(person)
    expect(songs.filter(({ charge }) => charge === 'deciding')).toEqual([])
    return songs
  })

test('64 concurrent submits under one key make one song and one charge', async () => {
  const ada = await somebody(product)
  await giveCredits(operator, ada.uid, 100)
  const json = { lyrics: 'la la', style: 'folk' }
  const headers = { 'idempotency-key': randomUUID() }
  const submit = () => ada.call<Song>('POST', '/api/songs', { json, headers })
  const answers = await many(64, submit)
  const made = answers.filter(({ status }) => status === 201)
  expect(made.length).toBeGreaterThan(0)
  for (const { status, body } of answers)
    if (status !== 201) expect([status, body]).toMatchObject([409, { code: 'request_in_progress' }])
  const [song, ...others] = await settled(ada)
  expect(others).toEqual([])
  expect(song?.charge).toBe('charged')
  for (const { body } of made) expect(body.id).toBe(song?.id)
  expect((await submit()).body.id).toBe(song?.id)
  await balanceIs(ada, 90)
})

test('of 60 concurrent submits with credits for ten, exactly ten are charged', async () => {
  const ada = await somebody(product)
  await giveCredits(operator, ada.uid, 105)
  const json = { lyrics: 'la la', style: 'folk' }
  const answers = await many(60, () => ada.call('POST', '/api/songs', { json }))
  expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(201))
  const charges = (await settled(ada)).map(({ charge }) => charge)
  expect(charges.filter((charge) => charge === 'charged')).toHaveLength(10)
  expect(charges.filter((charge) => charge === 'declined')).toHaveLength(50)
  await balanceIs(ada, 5)
  const lines = await statement(ada)
  expect(lines.filter(({ reason }) => reason === 'song')).toHaveLength(10)
})
