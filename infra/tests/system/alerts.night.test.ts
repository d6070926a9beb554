import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { somebody, giveCredits, unlockedOperator } from '../support/callers.ts'
import { mailsTo } from '../support/mailbox.ts'
import { heal, poison } from '../support/poison.ts'
import { startProductProcess } from '../support/product-process.ts'
interface Posted {
  readonly text: string
  readonly url: string
  readonly alerts: readonly { status: string; name: string; service: string | null; detail: string }[]
}

/** Receives the webhook's posts; the first one fails, as when a chat server restarts. */
async function startReceiver() {
  const taken: Posted[] = []
  let refused = 0
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (refused === 0) {
        refused++
        response.writeHead(503).end()
        return
      }
      taken.push(body as Posted)
      response.writeHead(200).end('ok')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/planted-secret-4711`,
    taken,
    refused: () => refused,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a firing alert is sent once by mail and once by webhook, and so is the end of the alert', async () => {
  await using receiver = await startReceiver()
  await using product = await startProductProcess({
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'trace',
    ALERT_EMAIL: 'night-shift@prelude.test',
    ALERT_WEBHOOK_URL: receiver.url,
    ALERT_EVERY_SECONDS: '1',
  })
  const operator = await unlockedOperator(product)
  const singer = await somebody(product)
  await giveCredits(operator, singer.uid, 25)
  await poison(product, singer.uid)
  await singer.call('POST', '/api/songs', { json: { lyrics: 'la', style: 'folk' } })

  const mails = async () =>
    (await mailsTo(product, 'night-shift@prelude.test')).filter(({ subject }) =>
      subject.includes('PreludeDeadLetters'),
    )
  await eventually(async () => {
    expect((await mails()).map(({ subject }) => subject)).toEqual(['Prelude: PreludeDeadLetters'])
    expect(receiver.taken).toHaveLength(1)
  })
  const [mail] = await mails()
  expect(mail?.text).toMatch(/credits: (1 event|\d+ events) could not be handled: SongRequested/)
  expect(mail?.text).toContain('/ops')
  expect(receiver.refused()).toBe(1)
  expect(receiver.taken[0]).toMatchObject({
    text: expect.stringContaining('PreludeDeadLetters'),
    alerts: [{ status: 'firing', name: 'PreludeDeadLetters', service: 'credits' }],
  })
  const seen = await operator.call<{ alerts: { name: string }[] }>('GET', '/api/operator/ops')
  expect(seen.body.alerts).toMatchObject([{ name: 'PreludeDeadLetters' }])

  await heal(product)
  const json = {}
  await operator.call('POST', '/api/operator/ops/dead-letters/credits/replay', { json })
  await eventually(async () => {
    expect((await mails()).map(({ subject }) => subject)).toEqual([
      'Prelude: over: PreludeDeadLetters',
      'Prelude: PreludeDeadLetters',
    ])
    expect(receiver.taken).toHaveLength(2)
  })
  expect(receiver.taken[1]?.alerts).toMatchObject([{ status: 'resolved', name: 'PreludeDeadLetters' }])
  const sent = JSON.stringify([await mails(), receiver.taken])
  for (const secret of [singer.email, singer.uid]) expect(sent).not.toContain(secret)
  expect(product.output()).not.toContain('planted-secret-4711')
})
