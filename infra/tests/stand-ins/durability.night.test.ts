import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testLogger } from '@prelude/platform/testing'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { otherProcess } from '../support/other-process.ts'
import { startCheckout } from '../../stand-ins/checkout/index.ts'
import { ORDER, receiver, sdk, startSandbox, WEBHOOK_SECRET } from './sandbox.ts'

test('a refused webhook is sent again until it is accepted, in order', async () => {
  await using sandbox = await startSandbox()
  sandbox.webhook.refuse(1)
  await sandbox.press(await sandbox.open(), 'pay')
  await sandbox.webhook.expectTypes(['checkout.session.completed', 'charge.succeeded'])
  expect(sandbox.webhook.refused()).toBe(1)
})

test('after a restart only webhooks that were not accepted are sent again', async () => {
  await using sandbox = await startSandbox()
  sandbox.webhook.refuse(2)
  await sandbox.press(await sandbox.open(), 'pay')
  await sandbox.restart()
  await sandbox.restart()
  const types = ['charge.succeeded', 'checkout.session.completed']
  await expect.poll(() => sandbox.webhook.events.map(({ type }) => type).toSorted()).toEqual(types)
  sandbox.webhook.events.length = 0
  await sandbox.restart()
  await sandbox.press(await sandbox.open(), 'pay')
  await sandbox.webhook.expectTypes(types)
})

test('all state survives a restart, also after a line torn by a crash', async () => {
  await using sandbox = await startSandbox()
  const [open, paid] = [await sandbox.open(), await sandbox.open()]
  await sandbox.press(paid, 'pay')
  await sandbox.control(`sessions/${paid.id}/dispute`)
  await sandbox.restart(() => appendFile(sandbox.dataFile, '[["checkout","cs_torn",{"sess'))
  await sandbox.restart()
  expect((await sandbox.stripe.checkout.sessions.list()).data.map(({ id }) => id)).toEqual([paid.id, open.id])
  expect((await fetch(open.url ?? '')).status).toBe(200)
  expect(await sandbox.control(`sessions/${paid.id}/reinstate`)).toBe(200)
})

test('an answered request survives a kill of the process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  const dataFile = join(folder, 'checkout.json')
  await using webhook = await receiver()
  const options = { port: 0, dataFile, webhookSecret: WEBHOOK_SECRET, webhookUrl: webhook.url }
  const first = await otherProcess(`
    import { startCheckout } from ${JSON.stringify(join(import.meta.dirname, '../../stand-ins/checkout/index.ts'))}
    import { createLogger } from ${JSON.stringify(join(import.meta.dirname, '../../../services/platform/src/index.ts'))}
    const logger = createLogger({ service: 'checkout', level: 'silent', pretty: false })
    const { url, secretKey } = await startCheckout({ ...${JSON.stringify(options)}, logger })
    console.log(url + ' ' + secretKey)
  `)
  const [url = '', secretKey = ''] = first.line.split(' ')
  const sessions = await Promise.all(
    Array.from({ length: 5 }, () => sdk(url, secretKey).checkout.sessions.create(ORDER)),
  )
  const body = new URLSearchParams({ outcome: 'pay' })
  await fetch(`${url}/c/pay/${sessions[0]?.id}`, { method: 'POST', body, redirect: 'manual' })
  await first.kill()

  const second = await startCheckout({ ...options, logger: testLogger() })
  try {
    expect(second.secretKey).toBe(secretKey)
    const stripe = sdk(second.url, secretKey)
    const found = await Promise.all(sessions.map(({ id }) => stripe.checkout.sessions.retrieve(id)))
    expect(found.map(({ status }) => status)).toEqual(['complete', 'open', 'open', 'open', 'open'])
    await eventually(() => expect(new Set(webhook.events.map(({ id }) => id)).size).toBe(2))
  } finally {
    await second.stop()
  }
  expect(await readFile(dataFile, 'utf8')).toContain(sessions[4]?.id)
  await rm(folder, { recursive: true })
})
