import { randomUUID } from 'node:crypto'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { expectRefusal, mail, productOfFile, somebody, unlockedOperator } from '../support/callers.ts'
import { balanceIs } from '../support/checkout.ts'
import { close, livedIn, planted, REJECTION } from './lived-in.ts'
import { storedTexts } from './stored-texts.ts'

const product = productOfFile({ TRUSTED_COUNTRY_HEADER: 'cf-ipcountry' })

test('after an account is closed no data of its person is left in any table, store or session', async () => {
  const operator = await unlockedOperator(product())
  const texts = planted()
  const { person, ready, open } = await livedIn(product(), operator, texts)
  const other = await somebody(product(), texts)
  const reason = `adjusted-${randomUUID()}`
  const json = { email: texts.email, credits: 1, reason }
  expect((await operator.call('POST', '/api/operator/credits', { json })).status).toBe(200)
  await balanceIs(person, 6)
  await mail(product(), texts.email, /ready/i)
  const before = await storedTexts(product())
  for (const text of Object.values(texts)) expect(before.join('\n')).toContain(text)
  const sessionsIn = (kept: readonly string[]) =>
    kept.filter((text) => /^kv.*session:/.test(text) && text.includes(person.uid))
  expect(sessionsIn(before)).toHaveLength(2)
  expect(before.filter((text) => text.startsWith('blobs') && text.includes(texts.file))).not.toEqual([])
  const stream = await fetch(new URL('/api/live', product().endpoints.web), {
    headers: { cookie: other.cookie },
  })

  const shown = await person.call('GET', '/api/account/closing')
  expect(shown.body).toEqual({
    email: texts.email,
    credits: 6,
    debt: 0,
    songs: { ready: 1, cooking: 1, waiting: 1 },
    paymentsUnderWay: 0,
    signInAgain: false,
  })
  expectRefusal(await close(person, 6, 'somebody@else.test'), 400, 'wrong_confirmation')
  expectRefusal(await close(person, 5), 409, 'balance_changed')
  const { status, body } = await close(person, 6, texts.email.toUpperCase())
  expect([status, body]).toEqual([200, { closed: true }])

  for (const session of [person, other])
    expectRefusal(await session.call('GET', '/api/me'), 401, 'not_signed_in')
  expect(await stream.text()).toContain('ready')
  await eventually(async () =>
    expectRefusal(await operator.call('GET', `/api/songs/${ready.id}`), 404, 'song_not_found'),
  )
  expectRefusal(
    await operator.call('GET', `/api/operator/people/${person.uid}/export`),
    404,
    'user_not_found',
  )
  await eventually(async () => {
    const stored = await storedTexts(product())
    expect(sessionsIn(stored)).toEqual([])
    const kept = stored.join('\n')
    for (const text of [...Object.values(texts), ready.id.concat('/version')])
      expect(kept.includes(text) ? text : null).toBeNull()
  })
  // kept by design: the ledger under a uid, and the operator's reasons in it and in the audit
  const left = await storedTexts(product())
  const tablesWith = (text: string) => [
    ...new Set(left.filter((row) => row.includes(text)).map((row) => row.split(' ', 1)[0])),
  ]
  expect(tablesWith(reason)).toEqual(['credits.journal', 'gateway.audit_outcome'])
  const own = left.filter((row) => row.startsWith('payments.payment') && row.includes(person.uid))
  expect(own.filter((row) => row.includes(REJECTION))).toEqual([])
  expect(left.some((row) => row.startsWith('credits.entry') && row.includes(person.uid))).toBe(true)

  // nothing is charged for an erased song
  await eventually(async () => expect(await (await fetch(open.url)).text()).not.toContain('<button'))
  expect(product().checkInvariants('--deep')).toContain(' 0 broken')
})
