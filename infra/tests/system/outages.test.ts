import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { personUid } from '@prelude/gateway'
import { eventually } from '@prelude/platform/eventually'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startIdentity, subjectOf } from '../../stand-ins/identity/index.ts'
import { startMailbox } from '../../stand-ins/mailbox/index.ts'
import {
  caller,
  expectRefusal,
  mail,
  requestSong,
  settled,
  somebody,
  unlockedOperator,
} from '../support/callers.ts'
import { mailsTo } from '../support/mailbox.ts'
import { freePort, type ProductProcess, startProductProcess } from '../support/product-process.ts'

/** Outages of outside parties; and a second identity provider. Both belong to this file. */

const OPERATOR = 'operator@prelude.test'
let product: ProductProcess
let folder: string
let ports: { web: number; identity: number; smtp: number; mailbox: number }
const running: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prelude-identity-'))
  ports = {
    web: await freePort(),
    identity: await freePort(),
    smtp: await freePort(),
    mailbox: await freePort(),
  }
  product = await startProductProcess({
    PORT: String(ports.web),
    RATE_LIMITS: 'off',
    OIDC_ISSUER: `http://127.0.0.1:${ports.identity}`,
    OIDC_CLIENT_ID: 'prelude',
    OIDC_CLIENT_SECRET: 'a secret of this file',
    OIDC_PROVIDER_NAME: 'First',
    OPERATOR_UID: personUid('First', subjectOf(OPERATOR)),
    SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
  })
  product.endpoints = { ...product.endpoints, mailbox: `http://127.0.0.1:${ports.mailbox}` }
}, 120_000)
afterEach(() => Promise.all(running.splice(0).map((one) => one.stop())))
afterAll(async () => {
  await product[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function identityRuns(): Promise<void> {
  running.push(
    await startIdentity({
      host: '127.0.0.1',
      port: ports.identity,
      dataDir: folder,
      client: {
        id: 'prelude',
        secret: 'a secret of this file',
        redirectUris: [`http://localhost:${ports.web}/api/auth/callback`],
      },
    }),
  )
}

test('during an outage of the identity provider sign-in fails with a sentence, and works again after it', async () => {
  const visitor = caller(product)
  const away = await visitor('GET', '/api/auth/login')
  expect([away.status, away.headers.location]).toEqual([302, '/?signin=signin_failed'])
  const popup = await visitor<string>('GET', '/api/auth/login?mode=popup')
  expect([popup.status, popup.body]).toEqual([200, expect.stringContaining('Signing in did not work.')])
  expect((await visitor('GET', '/api/payment-methods')).status).toBe(200)
  await identityRuns()
  await eventually(() => somebody(product))
})

test('during an outage of the mail server requests are accepted, and the mail of each is sent once after it', async () => {
  await identityRuns()
  const ada = await somebody(product)
  const styles = ['the first while no mail goes', 'the second while no mail goes']
  for (const style of styles) expect((await requestSong(ada, { style })).charge).toBe('declined')
  running.push(await startMailbox({ host: '127.0.0.1', smtpPort: ports.smtp, httpPort: ports.mailbox }))
  for (const style of styles)
    expect((await mail(product, OPERATOR, new RegExp(style))).text).toContain(ada.email)
  await settled(product)
  const sent = (await mailsTo(product, OPERATOR)).filter(({ subject }) => /while no mail goes/.test(subject))
  expect(sent).toHaveLength(styles.length)
})

test('an e-mail address of two accounts is ambiguous, their uids are not', async () => {
  await identityRuns()
  const email = 'twice@example.test'
  const first = await somebody(product, { email })
  const { password } = product.endpoints.operator
  const operator = await unlockedOperator({
    ...product,
    endpoints: { ...product.endpoints, operator: { email: OPERATOR, password } },
  })
  await product.stop()
  await product.start({ OIDC_PROVIDER_NAME: 'Second' })
  const second = await somebody(product, { email })
  expect(second.uid).not.toBe(first.uid)
  const adjust = (account: object) =>
    operator.call('POST', '/api/operator/credits', { json: { ...account, credits: 1, reason: 'test' } })
  expectRefusal(await adjust({ email }), 409, 'ambiguous_account')
  const transfer = await operator.call('POST', '/api/operator/transfers', { json: { email, amount: 37_000 } })
  expectRefusal(transfer, 409, 'ambiguous_account')
  for (const { uid } of [first, second]) expect((await adjust({ uid })).body).toEqual({ balance: 1 })
})
