import { expect, test } from 'vitest'
import {
  AccountClosed,
  CreditsCharged,
  CreditsDeclined,
  CreditsRefunded,
  CreditsReversed,
  DebtChanged,
  notifierApi,
  paymentsApi,
  PaymentSucceeded,
  PaymentSuspicious,
  peopleApi,
  SongFulfilled,
  songsApi,
  TransferOpened,
  TransferSettled,
} from '@prelude/contracts'
import { AppError, newId, route, type Service, Unavailable } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { requestedSong, testService } from '@prelude/platform/testing'
import { createNotifier } from '../src/index.ts'
import { BRANDING, PAYMENT, personOf, runJob } from './start-notifier.ts'
import { type Mail, type Mailer, RecipientRefused } from '../src/mail/port.ts'

const SONG = requestedSong({
  email: 'stored-with-song@example.com',
  lyrics: 'very secret lyrics',
  style: 'slow folk',
  revision: 2,
})
/** After which the message of a sender that has died is taken over. */
const LEASE_MS = 75_000
const ANSWER = { uid: 'u1', balance: 0, version: 1 }

/** The notifier with a mail server and owners that can be switched off. */
async function startNotifier() {
  const outside = {
    sent: [] as Mail[],
    mailUp: true,
    refusesRecipients: false,
    outcomes: [] as string[],
    songsUp: true,
    peopleUp: true,
    songReads: 0,
    mailTaken: Promise.resolve(),
    closingMailsDeleted: [] as string[],
  }
  const mailer: Mailer = {
    send: async (mail) => {
      if (!outside.mailUp)
        throw Object.assign(new Error('550 <a@b.c> unknown'), { code: 'EENVELOPE', responseCode: 550 })
      if (outside.refusesRecipients) throw new RecipientRefused('550 5.1.1')
      outside.sent.push(mail)
      await outside.mailTaken
    },
    ping: async () => {},
    close: async () => {},
  }
  let start: (instance: string) => Service = () => {
    throw new Error('not started')
  }
  const service = await testService(
    (deps) => {
      start = (instance) => createNotifier({ ...deps, instance, mailer, config: BRANDING })
      return start('one')
    },
    {
      calls: {
        songs: (app) =>
          route(app, songsApi.byIds, async ({ body: { ids } }) => {
            if (!outside.songsUp) throw new Unavailable('its database')
            outside.songReads += 1
            return { items: ids.includes(SONG.id) ? [SONG] : [] }
          }),
        gateway: (app) => {
          route(app, peopleApi.closingMail, async ({ params: { uid = '' } }) => {
            if (outside.closingMailsDeleted.includes(uid)) throw new AppError('user_not_found')
            return { ...personOf(uid), email: 'closed@example.com' }
          })
          route(app, peopleApi.deleteClosingMail, async ({ params: { uid = '' } }) => {
            outside.closingMailsDeleted.push(uid)
            return {}
          })
          route(app, peopleApi.get, async ({ params: { uid = '' } }) => {
            if (uid === 'gone') throw new AppError('user_not_found')
            return personOf('u1')
          })
          route(app, peopleApi.mailOutcome, async ({ params: { uid }, body: { email, accepted } }) => {
            if (!outside.peopleUp) throw new Unavailable('its database')
            outside.outcomes.push(`${uid} ${email} ${accepted ? 'accepted' : 'refused'}`)
            return {}
          })
        },
        payments: (app) =>
          route(app, paymentsApi.get, async ({ params }) => ({ ...PAYMENT, id: params['id'] ?? '' })),
      },
    },
  )
  return Object.assign(outside, {
    service,
    /** Sends what is due. */
    round: () => runJob(service, 'send-due-messages'),
    /** Starts another process, which sends what is due. */
    startProcess: (instance: string) => runJob({ service: start(instance) }, 'send-due-messages'),
    pass: (ms: number) => service.clock.pass(ms),
    messages: async () => (await service.api(notifierApi).list({ query: {} })).items,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  })
}
const PAID = { credits: 2500, method: 'card' }
const songEvent = { songId: SONG.id, uid: 'u1' }

test('each event that causes a mail causes one, to the right person; those of a batch share one read of songs', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  await service.deliver(CreditsCharged, { songId: SONG.id, ...ANSWER, amount: 1000, waited: true })
  await service.deliver(SongFulfilled, { ...songEvent, gift: false })
  await service.deliver(CreditsRefunded, { songId: SONG.id, ...ANSWER, amount: 1000 })
  await service.deliver(PaymentSucceeded, { paymentId: 'p1', uid: 'u1', credits: 2500, method: 'card' })
  await service.deliver(PaymentSuspicious, { paymentId: 'p2', uid: 'u1', reason: 'currency differs' })
  const debt = { ...ANSWER, reference: 'p2', debt: 1500 }
  await service.deliver(DebtChanged, { ...debt, change: 1500 })
  await service.deliver(DebtChanged, { ...debt, change: -500, version: 2 })
  const reversed = { ...ANSWER, reversalId: 'r1', paymentId: 'p2', amount: 2000, owed: 1500, debt: 1500 }
  await service.deliver(CreditsReversed, reversed)
  await service.deliver(TransferOpened, { transferId: 'p3', uid: 'u1' })
  await service.deliver(TransferSettled, { transferId: 'p3', uid: 'u1', outcome: 'rejected' })
  await notifier.round()
  const received = notifier.sent.map(({ to, subject }) => `${to} | ${subject}`).toSorted()
  expect(received).toEqual([
    'ada@example.com | We could not find your bank transfer',
    'ada@example.com | Your payment was refunded: 20.00 credits were taken back',
    'ada@example.com | Your receipt: 25.00 credits for $25.00',
    'operator@prelude.test | Bank transfer announced by ada@example.com',
    'operator@prelude.test | New song request: slow folk',
    'operator@prelude.test | Please check a payment: currency differs',
    'operator@prelude.test | ada@example.com owes 15.00 credits',
    'stored-with-song@example.com | 10.00 credits are back: “slow folk”',
    'stored-with-song@example.com | Your song is cooking now: “slow folk”',
    'stored-with-song@example.com | Your song is ready: “slow folk”',
  ])
  expect(new Set(notifier.sent.map((mail) => mail.messageId)).size).toBe(10)
  expect(notifier.songReads).toBe(1)
  expect(await notifier.messages()).toEqual(
    Array.from(
      { length: 10 },
      () => expect.objectContaining({ state: 'sent', attempts: 1, lastError: null }) as object,
    ),
  )
})

test('a charge without a wait is announced to the operator, and no mail to the customer', async () => {
  await using notifier = await startNotifier()
  await notifier.service.deliver(CreditsCharged, { songId: SONG.id, ...ANSWER, amount: 1000, waited: false })
  await notifier.round()
  expect(notifier.sent.map(({ to }) => to)).toEqual(['operator@prelude.test'])
})

test('an event that is repeated under another id causes no second mail', async () => {
  await using notifier = await startNotifier()
  await notifier.service.deliver(SongFulfilled, { ...songEvent, gift: false })
  await notifier.service.deliver(SongFulfilled, { ...songEvent, gift: false })
  await notifier.round()
  await notifier.round()
  expect(notifier.sent).toHaveLength(1)
})

test('a confirmed transfer causes one receipt, though two events report it', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  await service.deliver(TransferSettled, { transferId: 'p1', uid: 'u1', outcome: 'confirmed' })
  await service.deliver(PaymentSucceeded, {
    paymentId: 'p1',
    uid: 'u1',
    credits: 2500,
    method: 'naira_transfer',
  })
  await notifier.round()
  expect(notifier.sent).toHaveLength(1)
})

test('neither texts nor addresses are kept', async () => {
  await using notifier = await startNotifier()
  await notifier.service.deliver(SongFulfilled, { ...songEvent, gift: false })
  notifier.mailUp = false
  await notifier.round()
  expect((await notifier.messages()).map((message) => message.lastError)).toEqual(['Error EENVELOPE 550'])
  notifier.mailUp = true
  await notifier.service.deliver(CreditsDeclined, { songId: SONG.id, ...ANSWER, missing: 1000 })
  await notifier.round()
  const { rows } = await notifier.service.admin.query('select * from message')
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toMatch(/secret lyrics|slow folk|Ada|@/)
})

test('a mail server that is down delays a mail, which is then sent once with the same message id', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  await service.deliver(SongFulfilled, { ...songEvent, gift: false })
  const { rows } = await service.admin.query<{ id: string }>('select message_id as id from message')
  notifier.mailUp = false
  const before = service.clock.now()
  await notifier.round()
  expect(await notifier.messages()).toMatchObject([{ state: 'pending', attempts: 1, sentAt: null }])
  notifier.mailUp = true
  const [waiting] = await notifier.messages()
  expect(waiting?.nextAt).toBeGreaterThanOrEqual(before + 1_000)
  notifier.pass(1_000)
  await notifier.round()
  notifier.pass(3_600_000)
  await notifier.round()
  expect(notifier.sent.map((mail) => mail.messageId)).toEqual([`<${rows[0]?.id}@localhost>`])
})

test('an owner that does not answer delays only the mails that need it', async () => {
  await using notifier = await startNotifier()
  notifier.songsUp = false
  await notifier.service.deliver(SongFulfilled, { ...songEvent, gift: false })
  await notifier.service.deliver(PaymentSucceeded, {
    paymentId: 'p1',
    uid: 'u1',
    credits: 2500,
    method: 'card',
  })
  await notifier.round()
  expect(notifier.sent.map((mail) => mail.to)).toEqual(['ada@example.com'])
  notifier.songsUp = true
  notifier.pass(1_000)
  await notifier.round()
  expect(notifier.sent).toHaveLength(2)
})

test('a mail that cannot be sent for a day counts as failed, until it is sent again on request', async () => {
  await using notifier = await startNotifier()
  notifier.mailUp = false
  await notifier.service.deliver(SongFulfilled, { ...songEvent, gift: false })
  notifier.pass(24 * 3_600_000)
  await notifier.round()
  expect(await notifier.messages()).toMatchObject([{ state: 'failed', lastError: 'Error EENVELOPE 550' }])
  notifier.mailUp = true
  await notifier.round()
  expect(notifier.sent).toHaveLength(0)
  const [message] = await notifier.messages()
  await notifier.service.api(notifierApi).resend({ params: { id: message?.id ?? '' } })
  await notifier.round()
  expect(notifier.sent).toHaveLength(1)
  expect(await notifier.messages()).toMatchObject([{ state: 'sent', lastError: null }])
})

test('a mail whose recipient is refused for good, or whose subject is gone, fails at the first attempt', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  await service.deliver(SongFulfilled, { songId: 'gone', uid: 'u1', gift: false })
  await service.deliver(PaymentSucceeded, { ...PAID, paymentId: 'p0', uid: 'gone' })
  await notifier.round()
  notifier.refusesRecipients = true
  await service.deliver(SongFulfilled, { ...songEvent, gift: false })
  await service.deliver(PaymentSuspicious, { paymentId: 'p1', uid: 'u1', reason: 'odd' })
  await notifier.round()
  notifier.pass(3_600_000)
  await notifier.round()
  expect(
    (await notifier.messages()).map(({ state, attempts, lastError }) => [state, attempts, lastError]),
  ).toEqual([
    ['failed', 1, 'RecipientRefused 550 5.1.1'],
    ['failed', 1, 'RecipientRefused 550 5.1.1'],
    ['failed', 1, 'user_not_found'],
    ['failed', 1, 'song_not_found'],
  ])
  // any person can have an address that refuses mails: for the operator these are nothing to repair
  await service.service.measures?.read?.()
  const all = await Promise.all((service.service.measures?.metrics ?? []).map((one) => one.get()))
  expect(all.find(({ name }) => name === 'prelude_mails_failed')?.values[0]?.value).toBe(3)
  // the other was to the operator
  expect(notifier.outcomes).toEqual(['u1 stored-with-song@example.com refused'])
})

test('the first mail that is accepted after a refusal is reported, and no other', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  const pay = async (paymentId: string, uid = 'u1'): Promise<void> => {
    await service.deliver(PaymentSucceeded, { ...PAID, paymentId, uid })
    await notifier.round()
  }
  await pay('p1')
  notifier.refusesRecipients = true
  notifier.peopleUp = false
  await pay('p2')
  expect(await notifier.messages()).toMatchObject([{ state: 'pending' }, { state: 'sent' }])
  notifier.peopleUp = true
  notifier.pass(1_000)
  await notifier.round()
  expect(await notifier.messages()).toMatchObject([{ state: 'failed', attempts: 2 }, { state: 'sent' }])
  notifier.refusesRecipients = false
  await pay('p3', 'u2')
  expect(notifier.outcomes).toEqual(['u1 ada@example.com refused'])
  await pay('p4')
  expect(notifier.outcomes.slice(1)).toEqual(['u1 ada@example.com accepted'])
  const failed = (await notifier.messages()).find(({ state }) => state === 'failed')
  await service.api(notifierApi).resend({ params: { id: failed?.id ?? '' } })
  await notifier.round()
  await pay('p5')
  expect(notifier.outcomes.slice(2)).toEqual(['u1 ada@example.com accepted'])
})

test('a mail that was sent is sent again on request as a new mail', async () => {
  await using notifier = await startNotifier()
  await notifier.service.deliver(SongFulfilled, { ...songEvent, gift: false })
  await notifier.round()
  const [message] = await notifier.messages()
  const { resend } = notifier.service.api(notifierApi)
  await resend({ params: { id: message?.id ?? '' } })
  await notifier.round()
  expect(new Set(notifier.sent.map((mail) => mail.messageId)).size).toBe(2)
  for (const id of [newId(), 'x'])
    await expect(resend({ params: { id } })).rejects.toMatchObject({ code: 'mail_not_found' })
})

test('a mail that a killed process was sending is sent at once by the next one of its name, and by any other when its lease ends', async () => {
  await using notifier = await startNotifier()
  const answer = Promise.withResolvers<void>()
  notifier.mailTaken = answer.promise
  for (const paymentId of ['p1', 'p2'])
    await notifier.service.deliver(PaymentSuspicious, { paymentId, uid: 'u1', reason: 'odd' })
  const killed = notifier.startProcess('killed')
  await eventually(() => expect(notifier.sent).toHaveLength(2))
  notifier.mailTaken = Promise.resolve()
  const { admin, clock } = notifier.service
  await notifier.startProcess('another')
  expect(notifier.sent).toHaveLength(2)
  expect(await notifier.messages()).toMatchObject([{ state: 'pending' }, { state: 'pending' }])

  // the first one was left before its sender had a name
  await admin.query(`update message set holder = null where refs ->> 'paymentId' = 'p1'`)
  await notifier.startProcess('killed')
  expect(notifier.sent).toHaveLength(3)
  await admin.query(`update message set attempts = attempts + 1 where state = 'sending'`) // nobody renews it
  clock.pass(LEASE_MS)
  await notifier.startProcess('another')
  expect(notifier.sent).toHaveLength(4)
  expect(new Set(notifier.sent.map(({ messageId }) => messageId)).size).toBe(2)
  answer.resolve()
  await killed
})

test('a mail whose server takes its time is not taken over while its sender waits', async () => {
  await using notifier = await startNotifier()
  const taken = Promise.withResolvers<void>()
  notifier.mailTaken = taken.promise
  const { service } = notifier
  await service.deliver(SongFulfilled, { ...songEvent, gift: false })
  const round = notifier.round()
  await eventually(() => expect(notifier.sent).toHaveLength(1))
  notifier.pass(LEASE_MS - 1)
  const now = service.clock.now()
  const leased = 'select from message where next_at >= $1'
  await eventually(async () => expect((await service.admin.query(leased, [now + LEASE_MS])).rowCount).toBe(1))
  await notifier.round()
  taken.resolve()
  await round
  expect(notifier.sent).toHaveLength(1)
})

test('two senders at work at the same time send each mail once', async () => {
  await using notifier = await startNotifier()
  for (let i = 0; i < 30; i++)
    await notifier.service.deliver(PaymentSucceeded, {
      paymentId: `p${i}`,
      uid: 'u1',
      credits: 2500,
      method: 'card',
    })
  await Promise.all([notifier.round(), notifier.round(), notifier.round()])
  expect(notifier.sent).toHaveLength(30)
  expect(new Set(notifier.sent.map((mail) => mail.messageId)).size).toBe(30)
})

test('mails that are sent at the same time are marked in one commit', async () => {
  await using notifier = await startNotifier()
  for (let i = 0; i < 8; i++)
    await notifier.service.deliver(PaymentSuspicious, { paymentId: `p${i}`, uid: 'u1', reason: 'odd' })
  const taken = Promise.withResolvers<void>()
  notifier.mailTaken = taken.promise
  const round = notifier.round()
  await eventually(() => expect(notifier.sent).toHaveLength(8))
  taken.resolve()
  await round
  const { rows } = await notifier.service.admin.query<{ sent: number; commits: number }>(
    `select count(sent_at) as sent, count(distinct xmin::text) as commits from message where state = 'sent'`,
  )
  expect(rows).toEqual([{ sent: 8, commits: 1 }])
})

test('messages are listed newest first, page by page', async () => {
  await using notifier = await startNotifier()
  for (let i = 1; i <= 3; i++)
    await notifier.service.deliver(PaymentSuspicious, { paymentId: `p${i}`, uid: `u${i}`, reason: 'odd' })
  const { list } = notifier.service.api(notifierApi)
  const first = await list({ query: { limit: 2 } })
  const second = await list({ query: { limit: 2, cursor: first.nextCursor ?? '' } })
  expect([...first.items, ...second.items].map((message) => message.uid)).toEqual(['u3', 'u2', 'u1'])
  expect(second.nextCursor).toBeNull()
  await expect(list({ query: { cursor: 'garbage' } })).rejects.toMatchObject({ code: 'invalid_cursor' })
})

test('a closed account gets one mail that confirms it and no other; the operator gets those about its payments', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  await service.deliver(SongFulfilled, { ...songEvent, gift: false })
  const another = { songId: 'of another', ...ANSWER, uid: 'u2' }
  await service.deliver(CreditsDeclined, { ...another, missing: 1000 })
  await service.deliver(PaymentSuspicious, { paymentId: 'p0', uid: 'u1', reason: 'livemode' })
  await service.deliver(AccountClosed, { uid: 'u1' })
  await service.deliver(PaymentSucceeded, { paymentId: 'p1', uid: 'u1', credits: 2500, method: 'card' })
  await service.deliver(PaymentSuspicious, { paymentId: 'p1', uid: 'u1', reason: 'account_closed' })
  await service.deliver(TransferSettled, { transferId: 'p3', uid: 'u1', outcome: 'rejected' })
  await notifier.round()
  expect(notifier.sent.map(({ to }) => to).toSorted()).toEqual([
    'closed@example.com',
    'operator@prelude.test',
    'operator@prelude.test',
  ])
  const textsTo = (address: string) =>
    notifier.sent
      .filter(({ to }) => to === address)
      .map(({ text }) => text)
      .join()
  for (const reason of ['livemode', 'account_closed'])
    expect(textsTo('operator@prelude.test')).toContain(reason)
  expect(textsTo('closed@example.com')).toContain('Your account is closed for good.')
  // its address is not needed any more
  expect(notifier.closingMailsDeleted).toEqual(['u1'])
  await service.deliver(AccountClosed, { uid: 'u1' })
  await notifier.round()
  expect(notifier.sent).toHaveLength(3)
  const { items } = await service.api(notifierApi).list({ query: { uid: 'u1' } })
  expect(items.map(({ kind }) => kind)).toEqual([
    'payment-suspicious',
    'account-closed',
    'payment-suspicious',
  ])
})

test('a service that does not answer is an alert after a minute, not before', async () => {
  await using notifier = await startNotifier()
  const { service, api, clock } = notifier.service
  const watch = service.jobs?.find(({ name }) => name === 'watch-product')
  const alerts = async (): Promise<unknown> => {
    await watch?.run(new AbortController().signal)
    return (await api(notifierApi).alerts()).items.map(({ name, service }) => ({ name, service }))
  }
  expect(await alerts()).toEqual([])
  clock.pass(60_000)
  expect(await alerts()).toContainEqual({ name: 'PreludeServiceDown', service: 'gateway' })
})
