import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { expectRefusal, productOfFile, requestSong, somebody, unlockedOperator } from '../support/callers.ts'
import { mailsTo } from '../support/mailbox.ts'
import { balanceIs, paymentLike, play, startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { prelude } from '../support/run-command.ts'
import { readZip } from './api/read-zip.ts'
import { close, COUNTRY } from './lived-in.ts'

const product = productOfFile({ TRUSTED_COUNTRY_HEADER: 'cf-ipcountry', LOG_LEVEL: 'trace' })

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
