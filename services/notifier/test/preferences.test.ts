import {
  AccountClosed,
  ChangesAsked,
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
const ALL = { mail: { ready: true, charged: true, late: true, receipts: true }, push: false, language: null }

test('a part of the preferences is changed and the rest stays; a closed account has the defaults again', async () => {
  await using notifier = await startNotifier()
  const { get, change } = notifier.api(preferencesApi)
  expect(await get({ params })).toEqual({ ...ALL, browser: {} })
  expect(await change({ params, body: {} })).toEqual(ALL)
  expect(await change({ params, body: { push: true } })).toEqual({ ...ALL, push: true })
  const changed = { ...ALL, mail: { ...ALL.mail, late: false }, push: true }
  expect(await change({ params, body: { mail: { late: false, receipts: true } } })).toEqual(changed)
  expect(await get({ params })).toEqual({ ...changed, browser: {} })
  expect(await get({ params: { uid: 'u2' } })).toEqual({ ...ALL, browser: {} })
  expect(await change({ params, body: { language: 'fr' } })).toEqual({ ...changed, language: 'fr' })
  expect(await change({ params, body: { language: null } })).toEqual(changed)
  const receipts = false as true
  await expect(change({ params, body: { mail: { receipts } } })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await notifier.deliver(AccountClosed, { uid: 'u1' })
  expect(await change({ params, body: { push: true } })).toEqual(ALL)
  expect((await notifier.admin.query('select from preference')).rowCount).toBe(0)
})

test('mails are in the language that was chosen, else that of the browser, and in its time zone; the operator’s in English', async () => {
  await using notifier = await startNotifier({}, () => ({ promisedAt: Date.UTC(2026, 10, 24, 14, 5) }))
  const { get, change, note } = notifier.api(preferencesApi)
  const late = async (songId: string): Promise<string> => {
    await notifier.deliver(SongLate, { ...song, songId })
    await notifier.run('send-due-messages')
    return notifier.sent.at(-1)?.text ?? ''
  }
  expect(await late('s1')).toContain('14:05 UTC')
  const browser = { language: 'pt', timeZone: 'Africa/Lagos' } as const
  await note({ params, body: browser })
  expect((await get({ params })).browser).toEqual(browser)
  expect(await late('s2')).toMatch(/Olá, Ada,[^]*15:05 \(Africa\/Lagos\)/)
  await change({ params, body: { language: 'fr' } })
  await note({ params, body: { timeZone: 'Europe/Paris' } })
  expect(await late('s3')).toMatch(/Bonjour Ada,[^]*15:05 \(Europe\/Paris\)/)
  await note({ params, body: { language: null } })
  await change({ params, body: { language: null } })
  expect(await late('s4')).toMatch(/Hi Ada,[^]*Europe\/Paris/)
  await change({ params, body: { language: 'fr' } })
  await notifier.deliver(ChangesAsked, song)
  await notifier.deliver(AccountClosed, { uid: 'u1' })
  await notifier.run('send-due-messages')
  expect(notifier.sent.at(-1)).toMatchObject({ subject: 'Votre compte est fermé' })
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
    /is late/,
    /is cooking now/,
    /song is ready/,
    /changes are ready/,
  ].map((subject) => expect.stringMatching(subject) as string)
  const [back, receipt] = [/credits are back/, /^Your receipt/].map(
    (one) => expect.stringMatching(one) as string,
  )
  const operators = 'to the operator'
  expect(await happen('s1')).toEqual([back, changes, receipt, cooking, late, ready, operators])
  await change({ params, body: { mail: { ready: false } } })
  expect(await happen('s2')).toEqual([back, receipt, cooking, late, operators])
  await change({ params, body: { mail: { charged: false, ready: true } } })
  expect(await happen('s3')).toEqual([back, changes, receipt, late, ready, operators])
  await change({ params, body: { mail: { late: false, ready: false } } })
  expect(await happen('s4')).toEqual([back, receipt, operators])
})
