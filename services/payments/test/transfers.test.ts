import { type AppError, newId } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { blockedConnections, holdOpen } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { type PaymentsUnderTest, startPayments } from './start-payments.ts'

const MIN_KOBO = 3_700_000

const open = (payments: PaymentsUnderTest, uid: string, id = newId()) =>
  payments.api.openTransfer({ params: { id }, body: { uid } })

const settlements = async (payments: PaymentsUnderTest): Promise<string[]> =>
  (await payments.emitted()).map(({ type }) => type).filter((type) => type !== 'PaymentUpdated')

const refusals = (outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => (reason as AppError).code)

test('"I have sent it" opens a transfer without a sum, and the operator gets a mail', async () => {
  await using payments = await startPayments()
  const transfer = await open(payments, 'u1')
  expect(transfer).toMatchObject({
    method: 'naira_transfer',
    status: 'open',
    amountCents: null,
    creditsCents: null,
    currency: 'NGN',
    url: null,
    revision: 1,
  })
  expect(await payments.emitted()).toEqual([
    { type: 'TransferOpened', data: { transferId: transfer.id, uid: 'u1' } },
    { type: 'PaymentUpdated', data: { paymentId: transfer.id, uid: 'u1', revision: 1 } },
  ])
  expect((await payments.api.listTransfers({ query: {} })).items).toEqual([transfer])
})

test('a person has one open transfer, however many are asked for at once; the same id is the same transfer', async () => {
  await using payments = await startPayments()
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => open(payments, 'u1')))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(refusals(outcomes)).toEqual(Array(5).fill('transfer_already_open'))
  await open(payments, 'u2')
  const [first] = (await payments.api.listTransfers({ query: {} })).items.filter(({ uid }) => uid === 'u1')
  expect(await open(payments, 'u1', first?.id)).toEqual(first)
  expect(await settlements(payments)).toEqual(['TransferOpened', 'TransferOpened'])
})

test('a confirmed transfer buys credits at 1,480 Naira each, rounded down', async () => {
  await using payments = await startPayments()
  const { id } = await open(payments, 'u1')
  const settled = await payments.api.confirmTransfer({ params: { id }, body: { amountKobo: 5_000_000 } })
  expect(settled).toMatchObject({ status: 'paid', amountCents: 5_000_000, creditsCents: 3378, revision: 2 })
  const emitted = await payments.emitted()
  expect(emitted.find(({ type }) => type === 'PaymentSucceeded')?.data).toEqual({
    paymentId: id,
    uid: 'u1',
    credits: 3378,
    method: 'naira_transfer',
  })
  expect(emitted.find(({ type }) => type === 'TransferSettled')?.data).toEqual({
    transferId: id,
    uid: 'u1',
    outcome: 'confirmed',
  })
  expect((await payments.api.listTransfers({ query: {} })).items).toEqual([])
  await open(payments, 'u1') // the next one may come
})

test('a transfer is settled once, whatever clicks race each other', async () => {
  await using payments = await startPayments()
  const { id } = await open(payments, 'u1')
  const confirm = () => payments.api.confirmTransfer({ params: { id }, body: { amountKobo: MIN_KOBO } })
  const reject = () => payments.api.rejectTransfer({ params: { id }, body: { reason: 'nothing came' } })
  const outcomes = await Promise.allSettled([confirm(), reject(), confirm(), reject(), confirm()])
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(refusals(outcomes)).toEqual(Array(4).fill('transfer_already_settled'))
  expect((await settlements(payments)).filter((type) => type === 'TransferSettled')).toHaveLength(1)
})

test('two concurrent settlements of one transfer: the second reads the result of the first', async () => {
  await using payments = await startPayments()
  const params = { id: newId() }
  await payments.api.openTransfer({ params, body: { uid: 'u1' } })
  const { db, admin } = payments.service
  const release = await holdOpen(db, (tx) =>
    tx.query('select 1 from payment where id = $1 for update', [params.id]),
  )
  const both = Promise.allSettled([
    payments.api.confirmTransfer({ params, body: { amountKobo: 3_700_000 } }),
    payments.api.rejectTransfer({ params, body: { reason: 'no' } }),
  ])
  await eventually(async () => expect(await blockedConnections(admin)).toBe(2))
  await release()
  // in both orders: a constraint alone would refuse one of the two orders
  expect(refusals(await both)).toEqual(['transfer_already_settled'])
})

test('a rejected transfer buys nothing', async () => {
  await using payments = await startPayments()
  const { id } = await open(payments, 'u1')
  const settled = await payments.api.rejectTransfer({ params: { id }, body: { reason: 'nothing came' } })
  expect(settled).toMatchObject({ status: 'rejected', amountCents: null, creditsCents: null })
  expect(await settlements(payments)).toEqual(['TransferOpened', 'TransferSettled'])
})

test('only open transfers of at least the smallest amount are confirmed', async () => {
  await using payments = await startPayments()
  const { id } = await open(payments, 'u1')
  const card = await payments.open()
  const confirm = (transferId: string, amountKobo = MIN_KOBO) =>
    payments.api.confirmTransfer({ params: { id: transferId }, body: { amountKobo } })
  await expect(confirm(id, MIN_KOBO - 1)).rejects.toMatchObject({ code: 'invalid_request' })
  for (const other of [newId(), 'no-uuid', card.id])
    await expect(confirm(other)).rejects.toMatchObject({ code: 'transfer_not_found' })
})

test('an unannounced transfer is settled at once, once for an id, also beside an open one', async () => {
  await using payments = await startPayments()
  await open(payments, 'u1')
  const id = newId()
  const record = (amountKobo: number) =>
    payments.api.recordTransfer({ params: { id }, body: { uid: 'u1', amountKobo } })
  const [first, ...others] = await Promise.all([record(MIN_KOBO), record(MIN_KOBO), record(MIN_KOBO)])
  expect(first).toMatchObject({ status: 'paid', creditsCents: 2500, amountCents: MIN_KOBO, revision: 1 })
  for (const other of others) expect(other).toEqual(first)
  await expect(record(MIN_KOBO * 2)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  expect(await settlements(payments)).toEqual(['TransferOpened', 'PaymentSucceeded', 'TransferSettled'])
})
