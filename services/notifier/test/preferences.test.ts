import {
  AccountClosed,
  ChangesDelivered,
  CreditsCharged,
  CreditsRefunded,
  PaymentSucceeded,
  preferencesApi,
  SongFulfilled,
  SongLate,
} from '@prelude/contracts'
import { expect, test } from 'vitest'
import { BRANDING, startNotifier } from './start-notifier.ts'

const song = { songId: 's1', uid: 'u1' }
const params = { uid: 'u1' }
const ALL = { mail: { ready: true, charged: true, late: true, receipts: true }, push: false }

test('a part of the preferences is changed and the rest stays; a closed account has the defaults again', async () => {
  await using notifier = await startNotifier()
  const { get, change } = notifier.api(preferencesApi)
  expect(await get({ params })).toEqual(ALL)
  expect(await change({ params, body: {} })).toEqual(ALL)
  expect(await change({ params, body: { push: true } })).toEqual({ ...ALL, push: true })
  const changed = { mail: { ...ALL.mail, late: false }, push: true }
  expect(await change({ params, body: { mail: { late: false, receipts: true } } })).toEqual(changed)
  expect(await get({ params })).toEqual(changed)
  expect(await get({ params: { uid: 'u2' } })).toEqual(ALL)
  const receipts = false as true
  await expect(change({ params, body: { mail: { receipts } } })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await notifier.deliver(AccountClosed, { uid: 'u1' })
  expect(await change({ params, body: { push: true } })).toEqual(ALL)
  expect((await notifier.admin.query('select from preference')).rowCount).toBe(0)
})

test('only wanted mails are sent; those about money, and the ones of the operator, always', async () => {
  await using notifier = await startNotifier()
  const { change } = notifier.api(preferencesApi)
  const happen = async (songId: string): Promise<string[]> => {
    const before = notifier.sent.length
    const charged = { songId, uid: 'u1', amount: 1000, balance: 0, version: 1 }
    await notifier.deliver(CreditsCharged, { ...charged, waited: true })
    await notifier.deliver(SongLate, { ...song, songId })
    await notifier.deliver(SongFulfilled, { ...song, songId, gift: false })
    await notifier.deliver(ChangesDelivered, { ...song, songId })
    await notifier.deliver(CreditsRefunded, charged)
    await notifier.deliver(PaymentSucceeded, { paymentId: songId, uid: 'u1', credits: 1, method: 'card' })
    await notifier.run('send-due-messages')
    return notifier.sent
      .slice(before)
      .map(({ to, subject }) => (to === BRANDING.operatorEmail ? 'to the operator' : subject))
      .toSorted()
  }
  const [late, cooking, ready, changes] = [
    'Your song is late',
    'Your song is cooking now',
    /^Your song is ready/,
    'Your changes are ready',
  ].map((subject) => expect.stringMatching(subject) as string)
  const money = [/credits are back/, /^Your receipt/].map((one) => expect.stringMatching(one) as string)
  const operators = 'to the operator'
  expect(await happen('s1')).toEqual([
    ...money.slice(0, 1),
    changes,
    money[1],
    cooking,
    late,
    ready,
    operators,
  ])
  await change({ params, body: { mail: { ready: false } } })
  expect(await happen('s2')).toEqual([money[0], money[1], cooking, late, operators])
  await change({ params, body: { mail: { charged: false, ready: true } } })
  expect(await happen('s3')).toEqual([money[0], changes, money[1], late, ready, operators])
  await change({ params, body: { mail: { late: false, ready: false } } })
  expect(await happen('s4')).toEqual([money[0], money[1], operators])
})
