import { expect, test } from 'vitest'
import {
  AccountClosed,
  CreditsAdjusted,
  CreditsCharged,
  CreditsDeclined,
  OperatorUnlocked,
  paymentsApi,
  PaymentSucceeded,
  peopleApi,
  type Song,
  SongClosed,
  SongFulfilled,
  songsApi,
  UnlockLimitReached,
} from '@prelude/contracts'
import { newId, route } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { requestedSong, testService } from '@prelude/platform/testing'
import { createNotifier } from '../src/index.ts'
import { BRANDING, PAYMENT, personOf, runJob } from './start-notifier.ts'
import type { Mail } from '../src/mail/port.ts'

/** Mails to the operator: how many a person can cause, and those about the operator's own account. */

const MINUTE_MS = 60_000
const OPERATOR = BRANDING.operatorEmail
const ACCOUNT = { balance: 0, version: 1 }

const songOf = (id: string, charge: Song['charge'], rest: Partial<Song> = {}): Song =>
  requestedSong({
    id,
    lyrics: `lyrics of ${id}`,
    title: id.slice(-12),
    style: `style of ${id}`,
    charge,
    revision: 2,
    ...rest,
  })

/** Each mail is sent once `taken` is resolved. */
async function startNotifier(taken = Promise.resolve()) {
  const sent: Mail[] = []
  const charged = new Set<string>()
  const closed = new Set<string>()
  const service = await testService(
    (deps) =>
      createNotifier({
        ...deps,
        instance: 'one',
        mailer: {
          send: async (mail) => {
            sent.push(mail)
            await taken
          },
          ping: async () => {},
          close: async () => {},
        },
        config: BRANDING,
      }),
    {
      calls: {
        songs: (app) =>
          route(app, songsApi.byIds, async ({ body: { ids } }) => ({
            items: ids.map((id) =>
              songOf(
                id,
                charged.has(id) ? 'charged' : 'declined',
                closed.has(id) ? { status: 'cancelled', closedAt: 1 } : {},
              ),
            ),
          })),
        payments: (app) =>
          route(app, paymentsApi.get, async ({ params: { id = '' } }) => ({ ...PAYMENT, id })),
        gateway: (app) => route(app, peopleApi.get, async () => personOf('u1')),
      },
    },
  )
  return {
    sent,
    service,
    decline: (songId: string, uid = 'u1') =>
      service.deliver(CreditsDeclined, { songId, uid, missing: 1000, ...ACCOUNT }),
    charge: (songId: string, waited: boolean, uid = 'u1') => {
      charged.add(songId)
      return service.deliver(CreditsCharged, { songId, uid, amount: 1000, waited, ...ACCOUNT })
    },
    /** Songs closes it, or charges it, and the event comes later. */
    recordClosed: (songId: string) => void closed.add(songId),
    recordCharged: (songId: string) => void charged.add(songId),
    close: (songId: string) =>
      service.deliver(SongClosed, { songId, uid: 'u1', reason: 'cancelled', free: true }),
    /** Lets time pass, then runs both jobs; answers the mails that were sent by it. */
    later: async (ms = 0): Promise<Mail[]> => {
      service.clock.pass(ms)
      const before = sent.length
      await runJob(service, 'queue-digests')
      await runJob(service, 'send-due-messages')
      return sent.slice(before)
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

const ids = (count: number): string[] => Array.from({ length: count }, () => newId())
const toOperator = (mails: readonly Mail[]): string[] =>
  mails.filter(({ to }) => to === OPERATOR).map(({ subject }) => subject)

test('beyond five waiting requests of a person within an hour, the further ones come as one digest with their words', async () => {
  await using notifier = await startNotifier()
  const songs = ids(12)
  for (const id of songs) await notifier.decline(id)
  await notifier.decline('of another', 'u2')
  expect(toOperator(await notifier.later()).toSorted()).toEqual(
    [...songs.slice(0, 5), 'of another'].map((id) => `New song request: ${id.slice(-12)}`).toSorted(),
  )
  expect(await notifier.later(59 * MINUTE_MS)).toEqual([])
  const [digest, ...more] = await notifier.later(2 * MINUTE_MS)
  expect(more).toEqual([])
  expect(digest).toMatchObject({ to: OPERATOR, subject: '7 more requests wait for credits' })
  expect(digest?.replyTo).toMatch(/@/)
  for (const id of songs)
    for (const part of [`lyrics of ${id}`, `style of ${id}`])
      expect(digest?.text.includes(part)).toBe(songs.indexOf(id) >= 5)
  expect(await notifier.later(24 * 60 * MINUTE_MS)).toEqual([])
})

test('a flood causes one digest an hour, however long it lasts; after a quiet hour requests are announced one by one', async () => {
  await using notifier = await startNotifier()
  const digests: string[] = []
  for (let minutes = 0; minutes < 180; minutes += 10) {
    for (const id of ids(5)) await notifier.decline(id)
    const mails = toOperator(await notifier.later(10 * MINUTE_MS))
    digests.push(...mails.filter((subject) => subject.includes('wait for credits')))
  }
  expect(digests.length).toBeGreaterThanOrEqual(2)
  expect(digests.length).toBeLessThanOrEqual(3)
  await notifier.later(61 * MINUTE_MS)
  await notifier.later(61 * MINUTE_MS)
  const [id = ''] = ids(1)
  await notifier.decline(id)
  expect(toOperator(await notifier.later())).toEqual([`New song request: ${id.slice(-12)}`])
})

test('a request that becomes charged is announced at once, and leaves the digest', async () => {
  await using notifier = await startNotifier()
  const songs = ids(7)
  for (const id of songs) await notifier.decline(id)
  await notifier.later()
  const [paid = '', waits = ''] = songs.slice(5)
  await notifier.charge(paid, true)
  const [atOnce = ''] = ids(1)
  await notifier.charge(atOnce, false)
  expect(toOperator(await notifier.later()).toSorted()).toEqual(
    [paid, atOnce].map((id) => `New song request: ${id.slice(-12)}`).toSorted(),
  )
  const [digest, ...more] = await notifier.later(61 * MINUTE_MS)
  expect([digest?.subject, more]).toEqual(['1 more request waits for credits', []])
  expect(digest?.text).toContain(waits)
  expect(digest?.text).not.toContain(paid)
})

test('a request whose event is handled once more is not announced again', async () => {
  await using notifier = await startNotifier()
  const songs = ids(7)
  const again = async (): Promise<void> => {
    for (const id of songs) await notifier.decline(id)
  }
  await again()
  expect(await notifier.later()).toHaveLength(5)
  await again()
  const digests = await notifier.later(61 * MINUTE_MS)
  expect(digests.map(({ subject }) => subject)).toEqual(['2 more requests wait for credits'])
  await again()
  expect(await notifier.later(61 * MINUTE_MS)).toEqual([])
})

test('a request that is closed leaves the digest', async () => {
  await using notifier = await startNotifier()
  const songs = ids(7)
  for (const id of songs) await notifier.decline(id)
  await notifier.later()
  const [closed = '', waits = ''] = songs.slice(5)
  await notifier.close(closed)
  const [digest] = await notifier.later(61 * MINUTE_MS)
  expect(digest?.subject).toBe('1 more request waits for credits')
  expect(digest?.text).toContain(waits)
})

test('a digest counts the requests that wait when it is sent; without any, there is none', async () => {
  await using notifier = await startNotifier()
  const songs = ids(8)
  for (const id of songs) await notifier.decline(id)
  await notifier.later()
  const [closed = '', paid = '', waits = ''] = songs.slice(5)
  notifier.recordClosed(closed)
  notifier.recordCharged(paid)
  const [digest] = await notifier.later(61 * MINUTE_MS)
  expect(digest?.subject).toBe('1 more request waits for credits')
  expect(digest?.text).toContain(waits)

  const others = ids(6)
  for (const id of others) await notifier.decline(id, 'u2')
  await notifier.later()
  notifier.recordClosed(others[5] ?? '')
  expect(await notifier.later(61 * MINUTE_MS)).toEqual([])
})

test('a waiting request that is closed before its mail is sent is not announced', async () => {
  await using notifier = await startNotifier()
  const [closed = '', waits = ''] = ids(2)
  for (const id of [closed, waits]) await notifier.decline(id)
  notifier.recordClosed(closed)
  expect(toOperator(await notifier.later())).toEqual([`New song request: ${waits.slice(-12)}`])
})

test('beyond twenty charged requests of a person within an hour, the further ones come in the digest; waiting ones count apart', async () => {
  await using notifier = await startNotifier()
  const songs = ids(23)
  for (const id of songs) await notifier.charge(id, false)
  const waiting = ids(6)
  for (const id of waiting) await notifier.decline(id)
  await notifier.charge('of another', false, 'u2')
  const subjectOf = (id: string): string => `New song request: ${id.slice(-12)}`
  expect(toOperator(await notifier.later()).toSorted()).toEqual(
    [...songs.slice(0, 20), ...waiting.slice(0, 5), 'of another'].map(subjectOf).toSorted(),
  )
  notifier.recordClosed(songs[21] ?? '')
  expect(await notifier.later(59 * MINUTE_MS)).toEqual([])
  const [digest, ...more] = await notifier.later(2 * MINUTE_MS)
  expect([digest?.subject, more]).toEqual(['3 more song requests of one person', []])
  const named = [...songs, ...waiting].filter((id) => digest?.text.includes(`lyrics of ${id}`))
  expect(named).toEqual([songs[20], songs[22], waiting[5]])
  // handled once more, they are not announced again
  for (const id of songs) await notifier.charge(id, false)
  expect(await notifier.later(61 * MINUTE_MS)).toEqual([])
})

test('a request of a digest that is charged later is announced then: one by one, or beyond twenty in the next digest', async () => {
  await using notifier = await startNotifier()
  const songs = ids(26)
  for (const id of songs) await notifier.decline(id)
  await notifier.later()
  expect(toOperator(await notifier.later(61 * MINUTE_MS))).toEqual(['21 more requests wait for credits'])
  for (const id of songs) await notifier.charge(id, true)
  // five were announced one by one as they waited
  expect(toOperator(await notifier.later())).toHaveLength(20)
  // handled once more, none of them leaves the digest
  for (const id of songs) await notifier.charge(id, true)
  const digests = await notifier.later(61 * MINUTE_MS)
  expect(toOperator(digests)).toEqual(['1 more song request of one person'])
  expect(digests[0]?.text).toContain(`lyrics of ${songs[25]}`)
})

test('a closed account leaves nothing to announce', async () => {
  await using notifier = await startNotifier()
  for (const id of ids(7)) await notifier.decline(id)
  await notifier.service.deliver(AccountClosed, { uid: 'u1' })
  for (const id of ids(7)) await notifier.decline(id)
  expect(await notifier.later(61 * MINUTE_MS)).toEqual([])
  expect((await notifier.service.admin.query('select from unannounced_request')).rowCount).toBe(0)
})

test('a mail to a customer is sent before all that wait for the operator', async () => {
  const taken = Promise.withResolvers<void>()
  await using notifier = await startNotifier(taken.promise)
  for (const [n, id] of ids(80).entries()) await notifier.charge(id, false, `u${n}`)
  const sending = notifier.later()
  await eventually(() => expect(notifier.sent.length).toBeGreaterThan(0))
  await notifier.service.deliver(SongFulfilled, { songId: newId(), uid: 'u1', gift: false })
  const queuedAt = notifier.sent.length
  taken.resolve()
  await sending
  const at = notifier.sent.findIndex(({ to }) => to === 'ada@example.com')
  // those in hand and those being claimed at that very moment are sent before it
  expect(at - queuedAt).toBeLessThanOrEqual(50)
  expect(notifier.sent).toHaveLength(81)
})

test('an unlock in a new session, the limit of wrong passwords and a large adjustment cause one mail to the operator each', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  const adjust = (amount: number, adjustmentId = newId()) =>
    service.deliver(CreditsAdjusted, { adjustmentId, uid: 'u1', amount, ...ACCOUNT })
  for (let n = 0; n < 2; n++) {
    await service.deliver(OperatorUnlocked, { sessionId: 's1', uid: 'boss' })
    await service.deliver(UnlockLimitReached, { uid: 'boss', since: Date.UTC(2026, 0, 2, 3, 4) })
    await adjust(100_001, 'a1')
    await adjust(-200_000, 'a2')
    await adjust(100_000)
    await adjust(-100_000)
  }
  const mails = await notifier.later()
  expect(toOperator(mails).toSorted()).toEqual([
    '1000.01 credits were added by hand',
    '2000.00 credits were taken by hand',
    'Admin mode was enabled in a new session',
    'Wrong admin passwords: further ones are refused for now',
  ])
  const textOf = (subject: RegExp) => mails.find((mail) => subject.test(mail.subject))?.text
  expect(textOf(/added/)).toMatch(/E-mail: ada@example.com[^]*Credits: 1000.01 added[^]*a1/)
  expect(textOf(/Wrong/)).toContain('Friday, January 2 at 03:04 UTC')
  expect(textOf(/enabled/)).toContain('http://localhost:8080/sessions')
})

test('a large transfer that a session confirmed or recorded causes one mail to the operator, a card payment none', async () => {
  await using notifier = await startNotifier()
  const { service } = notifier
  const succeed = (paymentId: string, credits: number, method: string) =>
    service.deliver(PaymentSucceeded, { paymentId, uid: 'u1', credits, method })
  for (let n = 0; n < 2; n++) {
    await succeed('t1', 100_001, 'naira_transfer')
    await succeed('t2', 100_000, 'naira_transfer')
    await succeed('c1', 250_000, 'card')
  }
  const mails = await notifier.later()
  expect(toOperator(mails)).toEqual(['1000.01 credits were added for a bank transfer'])
  const [announced] = mails.filter(({ to }) => to === OPERATOR)
  expect(announced?.text).toMatch(/E-mail: ada@example.com[^]*Credits: 1000.01[^]*Transfer: t1/)
  expect(mails.filter(({ to }) => to === 'ada@example.com')).toHaveLength(3) // the receipts
})

test('the age of the backup counts from the first charged song while there is none; that of the database only with an archive', async () => {
  await using notifier = await startNotifier()
  const { admin, clock, service } = notifier.service
  const read = async (): Promise<Record<string, number>> => {
    await service.measures?.read?.()
    const all = await Promise.all((service.measures?.metrics ?? []).map((one) => one.get()))
    const backups = all.filter(({ name }) => /^prelude_(backup|disk)_/.test(name))
    return Object.fromEntries(
      backups.flatMap(({ name, values }) =>
        values.map(({ labels, value }) => [
          `${name.slice('prelude_'.length)} ${labels['kind'] ?? ''}`,
          name.endsWith('_seconds') ? Math.floor(value / 60) : value,
        ]),
      ),
    )
  }
  const none = { 'backup_findings ': 0, 'disk_free_bytes ': 0, 'disk_size_bytes ': 0 }
  const waiting = newId()
  await notifier.decline(waiting)
  clock.pass(60 * MINUTE_MS)
  expect(await read()).toEqual({ ...none, 'backup_age_seconds all': 0 })
  await notifier.charge(waiting, true)
  clock.pass(60 * MINUTE_MS)
  await notifier.charge(newId(), false)
  clock.pass(60 * MINUTE_MS)
  expect(await read()).toEqual({ ...none, 'backup_age_seconds all': 120 })
  await admin.query(`insert into backup values ('database', 0)`)
  await admin.query(`insert into backup values ('all', $1, 2, 10, 100)`, [clock.now() - 30 * MINUTE_MS])
  expect(await read()).toEqual({
    'backup_age_seconds all': 30,
    'backup_findings ': 2,
    'disk_free_bytes ': 10,
    'disk_size_bytes ': 100,
  })
})
