import { randomUUID } from 'node:crypto'
import type { Song } from '@prelude/contracts'
import { beforeAll, expect, test, vi } from 'vitest'
import {
  giveCredits,
  POLL,
  productOfFile,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs, paymentLike, startCheckout, statement } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

const product = productOfFile({ TRUSTED_COUNTRY_HEADER: 'cf-ipcountry' })
let operator: Somebody

beforeAll(async () => {
  operator = await unlockedOperator(product())
})

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
  vi.waitFor(async () => {
    const songs = await songsOf(person)
    expect(songs.filter(({ charge }) => charge === 'deciding')).toEqual([])
    return songs
  }, POLL)

test('64 concurrent submits under one key make one song and one charge', async () => {
  const ada = await somebody(product())
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

test('of 200 concurrent submits with credits for ten, exactly ten are charged', async () => {
  const ada = await somebody(product())
  await giveCredits(operator, ada.uid, 105)
  const json = { lyrics: 'la la', style: 'folk' }
  const answers = await many(200, () => ada.call('POST', '/api/songs', { json }))
  expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(201))
  const charges = (await settled(ada)).map(({ charge }) => charge)
  expect(charges.filter((charge) => charge === 'charged')).toHaveLength(10)
  expect(charges.filter((charge) => charge === 'declined')).toHaveLength(190)
  await balanceIs(ada, 5)
  const lines = await statement(ada)
  expect(lines.filter(({ reason }) => reason === 'song')).toHaveLength(10)
})

test('many concurrent confirmations and rejections settle a transfer once', async () => {
  const ada = await somebody(product())
  const request = { json: {}, headers: { 'cf-ipcountry': 'NG' } }
  const { body } = await ada.call<{ id: string }>('POST', '/api/payments/naira-transfers', request)
  const path = `/api/operator/transfers/${body.id}`
  const answers = await many(16, (n) =>
    n % 2 === 0
      ? operator.call<{ status: string }>('POST', `${path}/confirm`, { json: { amount: 37_000 } })
      : operator.call<{ status: string }>('POST', `${path}/reject`, { json: { reason: 'nothing came' } }),
  )
  const [settled, ...others] = answers.filter(({ status }) => status === 200)
  expect(others).toEqual([])
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(15)
  await balanceIs(ada, settled?.body.status === 'paid' ? 25 : 0)
})

test('many concurrent records of a transfer under one key are credited once', async () => {
  const ada = await somebody(product())
  const json = { email: ada.email, amount: 37_000 }
  const headers = { 'idempotency-key': randomUUID() }
  const recorded = await many(16, () => operator.call('POST', '/api/operator/transfers', { json, headers }))
  expect(recorded.some(({ status }) => status === 201)).toBe(true)
  await balanceIs(ada, 25)
  expect((await statement(ada)).filter(({ reason }) => reason === 'transfer')).toHaveLength(1)
})

test('many concurrent requests for a refund have one effect', async () => {
  const ada = await somebody(product())
  const checkout = await startCheckout(ada, 50)
  await press(checkout, 'pay')
  await balanceIs(ada, 50)
  const path = `/api/operator/payments/${checkout.id}/refund`
  const refund = (key: string) =>
    operator.call('POST', path, { json: { amount: 20 }, headers: { 'idempotency-key': key } })
  const answers = await many(12, () => refund('one-refund'))
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  await paymentLike(ada, checkout.id, { refundedAmount: 20 })
  const others = await many(4, (n) => refund(`another-${n}`))
  expect(others.filter(({ status }) => status === 200)).toHaveLength(1)
  await paymentLike(ada, checkout.id, { refundedAmount: 40 })
  await balanceIs(ada, 10)
  await vi.waitFor(() => expect(product().checkInvariants()).toContain(' 0 broken'), POLL)
})
