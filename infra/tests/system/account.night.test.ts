import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Me, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { MP3 } from '../support/audio-files.ts'
import {
  caller,
  expectRefusal,
  giveCredits,
  mail,
  productOfFile,
  requestSong,
  somebody,
  unlockedOperator,
} from '../support/callers.ts'
import { mailsTo } from '../support/mailbox.ts'
import { balanceIs, paymentLike, play, startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { prelude } from '../support/run-command.ts'
import { readZip } from './api/read-zip.ts'
import { close, COUNTRY, livedIn, planted } from './lived-in.ts'

const product = productOfFile({ TRUSTED_COUNTRY_HEADER: 'cf-ipcountry', LOG_LEVEL: 'trace' })

test('a person can download all data about them as a file', async () => {
  const operator = await unlockedOperator(product())
  const texts = planted()
  const { person, ready } = await livedIn(product(), operator, texts)
  await mail(product(), texts.email, /ready/i)
  const { status, headers, bytes } = await person.call('GET', '/api/account/export')
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'application/zip',
    'private, no-store',
  ])
  expect(headers['content-disposition']).toMatch(/^attachment; filename="[\w-]+\.zip"$/)
  const files = readZip(bytes)
  const account = JSON.parse(files.get('account.json')?.toString('utf8') ?? '') as Record<string, unknown[]>
  expect(account).toMatchObject({
    profile: { uid: person.uid, name: texts.name, email: texts.email, photoURL: texts.picture },
    credits: { balance: 5, debt: 0 },
    sessions: [{ createdAt: expect.any(Number), browser: 'Unknown' }],
  })
  const songs = account['songs'] as Song[]
  expect(songs).toHaveLength(3)
  expect(songs.every(({ style }) => style === texts.style)).toBe(true)
  for (const text of [texts.question, texts.answer]) expect(JSON.stringify(songs)).toContain(text)
  expect(account['statement']).toHaveLength(3)
  expect(account['payments']).toHaveLength(3)
  expect((account['mails'] as { kind: string }[]).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['song-ready', 'receipt', 'song-requested']),
  )
  expect(files.get('statement.csv')?.toString('utf8').split('\r\n')).toHaveLength(5)
  const folder = [...files.keys()].filter((name) => name.includes(ready.id.slice(-8)))
  expect(folder[0]).toMatch(new RegExp(`^songs/[\\d-]{10} ${texts.style} \\w{8}/`))
  expect(folder.map((name) => name.split('/').at(-1))).toEqual([
    'lyrics.txt',
    'style.txt',
    'licence.pdf',
    'version-1.mp3',
    'version-2.flac',
  ])
  expect(files.get(folder[0] ?? '')?.toString('utf8')).toBe(texts.lyrics)
  expect(files.get(folder[3] ?? '')?.equals(MP3)).toBe(true)

  const byOperator = await operator.call('GET', `/api/operator/people/${person.uid}/export`)
  expect(readZip(byOperator.bytes).has('account.json')).toBe(true)
  expectRefusal(await person.call('GET', `/api/operator/people/${person.uid}/export`), 403, 'operator_only')
  expectRefusal(await operator.call('GET', '/api/operator/people/nobody/export'), 404, 'user_not_found')
  expectRefusal(await caller(product())('GET', '/api/account/export'), 401, 'not_signed_in')
})

test('a person who signs in again gets a new account, with nothing of the closed one', async () => {
  const operator = await unlockedOperator(product())
  const texts = planted()
  const first = await somebody(product(), texts)
  await giveCredits(operator, first.uid, 10)
  await requestSong(first)
  expect((await close(first, 0)).status).toBe(200)
  const second = await somebody(product(), texts)
  expect(second.uid).not.toBe(first.uid)
  const me = await second.call<Me>('GET', '/api/me')
  expect(me.body).toMatchObject({ uid: second.uid, email: texts.email, credits: 0 })
  for (const path of ['songs', 'credits/entries', 'payments'])
    expect((await second.call('GET', `/api/${path}`)).body).toEqual({ items: [], nextCursor: null })
  expect((await somebody(product(), texts)).uid).toBe(second.uid)
  await giveCredits(operator, second.uid, 10)
  await balanceIs(second, 10)
  expect((await close(second, 10)).status).toBe(200)
  const third = await somebody(product(), texts)
  expect(new Set([first.uid, second.uid, third.uid]).size).toBe(3)
})

test('debts and open payments keep a person from closing their account, but not the operator', async () => {
  const operator = await unlockedOperator(product())
  const debtor = await somebody(product())
  const paid = await startCheckout(debtor, 25)
  await press(paid, 'pay')
  await balanceIs(debtor, 25)
  await requestSong(debtor)
  await play(product(), paid.session, 'refund', { amount: 25 })
  await paymentLike(debtor, paid.id, { status: 'refunded' })
  await balanceIs(debtor, 0)
  expectRefusal(await close(debtor, 0), 409, 'account_in_debt')

  const payer = await somebody(product())
  const later = await startCheckout(payer, 25)
  await press(later, 'pay_later')
  await paymentLike(payer, later.id, { status: 'processing' })
  expectRefusal(await close(payer, 0), 409, 'payment_under_way')
  const sender = await somebody(product())
  await sender.call('POST', '/api/payments/naira-transfers', { json: {}, headers: COUNTRY })
  expectRefusal(await close(sender, 0), 409, 'payment_under_way')

  const atOperators = (uid: string) =>
    operator.call('POST', `/api/operator/people/${uid}/close`, { json: { reason: 'asked by letter' } })
  for (const { uid } of [debtor, payer, sender]) expect((await atOperators(uid)).status).toBe(200)
  expectRefusal(await atOperators(debtor.uid), 404, 'user_not_found')
  expectRefusal(await atOperators(operator.uid), 409, 'operator_stays')
  expectRefusal(await close(operator, 0), 409, 'operator_stays')
  await play(product(), later.session, 'settle')
  // a payment that arrives later is recorded, and the operator refunds it
  await eventually(async () => {
    const notice = await mailsTo(product(), 'operator@prelude.test')
    expect(
      notice.filter(({ text }) => text.includes(later.id) && text.includes('account_closed')),
    ).toHaveLength(1)
  })
  const back = { json: { amount: 25 } }
  expect((await operator.call('POST', `/api/operator/payments/${later.id}/refund`, back)).status).toBe(200)
  const audit = await operator.call<{ items: { action: string; outcome: string; target: string }[] }>(
    'GET',
    '/api/operator/audit?limit=100',
  )
  expect(audit.body.items).toContainEqual(
    expect.objectContaining({ action: 'close-account', outcome: 'ok', target: debtor.uid }),
  )
  await eventually(() => expect(product().checkInvariants()).toContain(' 0 broken'))
})

test('the operator’s commands export a person and close an account, and are recorded in the audit', async () => {
  const operator = await unlockedOperator(product())
  const person = await somebody(product())
  const folder = await mkdtemp(join(tmpdir(), 'prelude-person-'))
  const env = { ...process.env, DATA_DIR: product().dataDir }
  const command = (...args: string[]) => prelude(env, args)
  const fails = (...args: string[]) => prelude(env, args, 1)
  const to = join(folder, 'ada.zip')
  expect(command('export-person', `--email=${person.email.toUpperCase()}`, `--to=${to}`)).toContain(to)
  expect(readZip(await readFile(to)).has('account.json')).toBe(true)
  expect(fails('export-person', `--uid=${person.uid}`, `--to=${to}`)).toContain('exists already')
  const piped = join(folder, 'piped.zip')
  const line = `node_modules/.bin/node infra/cli/main.ts export-person --uid=${person.uid} --to=- > ${piped}`
  execFileSync('sh', ['-c', line], { env, cwd: resolve(import.meta.dirname, '../../..') })
  expect(readZip(await readFile(piped)).has('account.json')).toBe(true)
  expect(fails('close-account', `--email=${person.email}`)).toContain('--reason')
  expect(fails('close-account', '--email=nobody@prelude.test', '--reason=x')).toContain(
    'Nobody with this address',
  )
  expect(command('close-account', `--email=${person.email}`, '--reason=asked by letter')).toContain(
    person.uid,
  )
  expectRefusal(await person.call('GET', '/api/me'), 401, 'not_signed_in')
  expect(fails('export-person', `--uid=${person.uid}`, `--to=${join(folder, 'gone.zip')}`)).toContain(
    'Nobody',
  )
  const { body } = await operator.call<{ items: object[] }>('GET', '/api/operator/audit?limit=10')
  for (const action of ['export-person', 'close-account'])
    expect(body.items).toContainEqual(expect.objectContaining({ action, outcome: 'ok', target: person.uid }))
  await rm(folder, { recursive: true })
})
