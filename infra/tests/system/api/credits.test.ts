import { beforeAll, expect, test, vi } from 'vitest'
import {
  expectRefusal,
  giveCredits,
  POLL,
  productOfFile,
  requestSong,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs, type Line, linesOf, startCheckout, statement } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

const product = productOfFile({ STARTING_CREDITS: '7.25' })
let operator: Somebody

beforeAll(async () => {
  operator = await unlockedOperator(product())
})

interface Credits {
  balance: number
  version: number
}

test('a statement begins with the starting credits, and every line has the sum so far as its balance', async () => {
  const ada = await somebody(product())
  await balanceIs(ada, 7.25)
  expect(await linesOf(ada)).toEqual([['starting', 7.25, 7.25]])
  const checkout = await startCheckout(ada, 30.01)
  await press(checkout, 'pay')
  await balanceIs(ada, 37.26)
  const song = await requestSong(ada)
  await giveCredits(operator, ada.uid, -0.01)
  const lines = await statement(ada)
  expect(lines.map(({ reason, reference }) => [reason, reference])).toEqual(
    [
      ['adjustment', null],
      ['song', song.id],
      ['top_up', checkout.id],
      ['starting', expect.anything()],
    ].map(([reason, reference], n) => (n === 3 ? ['starting', lines[3]?.reference] : [reason, reference])),
  )
  let sum = 0
  for (const line of lines.toReversed()) {
    sum += Math.round(line.amount * 100)
    expect(Math.round(line.balanceAfter * 100)).toBe(sum)
    expect(line.createdAt).toBeGreaterThan(Date.now() - 60_000)
  }
  await balanceIs(ada, sum / 100)
  expect(new Set(lines.map(({ id }) => id)).size).toBe(4)
})

test('the version grows with every change of the balance', async () => {
  const ada = await somebody(product())
  const read = async (): Promise<Credits> => (await ada.call<Credits>('GET', '/api/credits')).body
  const versions = [(await read()).version]
  for (const credits of [1, -1, 20.5]) {
    await giveCredits(operator, ada.uid, credits)
    versions.push((await read()).version)
  }
  await requestSong(ada)
  await balanceIs(ada, 17.75)
  versions.push((await read()).version)
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b))
})

test('the whole statement is available as CSV, with the same columns and decimal points', async () => {
  const ada = await somebody(product())
  const changes = Array.from({ length: 105 }, (_, n) => giveCredits(operator, ada.uid, n % 2 ? 0.5 : 0.25))
  await Promise.all(changes)
  const csv = await ada.call<string>('GET', '/api/credits/entries?format=csv')
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
  const [head, ...lines] = csv.body.trimEnd().split('\r\n')
  expect(head).toBe('id,amount,balanceAfter,reason,reference,createdAt')
  expect(lines).toHaveLength(106)
  const sum = lines.reduce((total, line) => total + Math.round(Number(line.split(',')[1]) * 100), 0)
  expect(sum / 100).toBe((await ada.call<Credits>('GET', '/api/credits')).body.balance)
  const [newest] = await statement(ada)
  expect(lines[0]).toBe(
    `${newest?.id},${newest?.amount},${newest?.balanceAfter},adjustment,,${new Date(newest?.createdAt ?? 0).toISOString()}`,
  )
  expectRefusal(await ada.call('GET', '/api/credits/entries?format=xml'), 400, 'invalid_request')

  const seen: Line[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { body: { items: Line[]; nextCursor: string | null } } = await ada.call(
      'GET',
      `/api/credits/entries?limit=30${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    seen.push(...page.body.items)
    cursor = page.body.nextCursor
  }
  expect(seen.map(({ id }) => id)).toEqual(lines.map((line) => line.split(',')[0]))
})

test('an adjustment by hand takes a uid or an e-mail address, never goes below zero, and is applied once a key', async () => {
  const ada = await somebody(product())
  const adjust = (json: unknown, headers: Record<string, string> = {}) =>
    operator.call<{ balance?: number; code?: string }>('POST', '/api/operator/credits', { json, headers })
  const reason = 'because'
  expect((await adjust({ email: ada.email.toUpperCase(), credits: 2.75, reason })).body).toEqual({
    balance: 10,
  })
  expect((await adjust({ uid: ada.uid, credits: -10, reason })).body).toEqual({ balance: 0 })
  expectRefusal(await adjust({ uid: ada.uid, credits: -0.01, reason }), 409, 'insufficient_credits')
  expectRefusal(await adjust({ uid: 'nobody', credits: 1, reason }), 404, 'user_not_found')
  expectRefusal(await adjust({ email: 'nobody@example.test', credits: 1, reason }), 404, 'user_not_found')
  for (const credits of [undefined, null, '5', 0.001, 1e300, 1e13, -1e13, true])
    expectRefusal(await adjust({ uid: ada.uid, credits, reason }), 400, 'invalid_amount')
  for (const wrong of [undefined, null, '', 'x'.repeat(501), 5])
    expectRefusal(await adjust({ uid: ada.uid, credits: 1, reason: wrong }), 400, 'invalid_request')
  for (const who of [{}, { uid: null }, { uid: '' }, { uid: 5 }, { email: ['a'] }])
    expectRefusal(await adjust({ ...who, credits: 1, reason }), 400, 'invalid_request')
  expect(
    (await adjust({ uid: ada.uid, credits: 3, reason: '😀'.repeat(500) }, { 'idempotency-key': 'a' })).body,
  ).toEqual({ balance: 3 })
  expect(
    (await adjust({ uid: ada.uid, credits: 3, reason: '😀'.repeat(500) }, { 'idempotency-key': 'a' })).body,
  ).toEqual({ balance: 3 })
  await balanceIs(ada, 3)
})

test('many songs at once never cost more than the balance', async () => {
  const ada = await somebody(product())
  await giveCredits(operator, ada.uid, 42.75)
  await Promise.all(Array.from({ length: 12 }, () => requestSong(ada)))
  await balanceIs(ada, 0)
  const { body } = await ada.call<{ items: { charge: string }[] }>('GET', '/api/songs')
  const charges = body.items.map(({ charge }) => charge)
  expect(charges.filter((charge) => charge === 'charged')).toHaveLength(5)
  expect(charges.filter((charge) => charge === 'declined')).toHaveLength(7)
  await vi.waitFor(() => expect(product().checkInvariants()).toContain(' 0 broken'), POLL)
})
