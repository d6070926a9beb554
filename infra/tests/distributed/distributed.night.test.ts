import type { Share, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyMissing } from '../support/with-server.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { caller, mail, somebody, type Somebody, unlockedOperator } from '../support/callers.ts'
import { findServers } from './servers.ts'
import { type Distributed, startDistributed } from './start.ts'

/** The product distributed, with two gateways: a change through one and the live stream at the other. */

let running: Distributed

/** The public endpoint of one gateway. */
function at(gateway: number, { cookie }: Somebody) {
  const web = running.product.endpoints.gateways?.[gateway] ?? ''
  return { web, call: caller({ endpoints: { ...running.product.endpoints, web } }, cookie) }
}

interface Stream {
  /** What it has received so far. */
  text(): string
  close(): void
}

/** Opens a person's live stream at one gateway. */
async function listen(gateway: number, person: Somebody): Promise<Stream> {
  const ending = new AbortController()
  const { web } = at(gateway, person)
  const answer = await fetch(`${web}/api/live`, {
    headers: { cookie: person.cookie },
    signal: ending.signal,
  })
  expect(answer.status).toBe(200)
  let text = ''
  const reading = async (): Promise<void> => {
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) text += piece
  }
  reading().catch(() => {}) // it is cut off at the end
  await eventually(() => expect(text).toContain('event: ready'))
  return { text: () => text, close: () => ending.abort() }
}

const missing = await whyMissing('Kafka, Redis or S3 store', findServers)

describe.skipIf(missing !== null)('the product distributed', () => {
  beforeAll(async () => {
    running = await startDistributed({ counts: { gateway: 2 } })
  })
  afterAll(() => running[Symbol.asyncDispose]())

  test('a change made through one gateway reaches a live stream at the other', async () => {
    const ada = await somebody(running.product, { name: 'Ada Obi' })
    const stream = await listen(0, ada)
    const { body: song } = await at(1, ada).call<Song>('POST', '/api/songs', {
      json: { lyrics: 'Carry me over', style: 'Highlife' },
    })
    await eventually(() =>
      expect(stream.text()).toMatch(new RegExp(`"id":"${song.id}".*"charge":"declined"`)),
    )
    await press(await startCheckout(ada, 25), 'pay')
    await eventually(() => expect(stream.text()).toMatch(new RegExp(`"id":"${song.id}".*"charge":"charged"`)))

    const operator = await unlockedOperator(running.product)
    expect((await fulfil({ ...operator, call: at(0, operator).call }, song.id)).status).toBe(200)
    await eventually(() => expect(stream.text()).toMatch(new RegExp(`"id":"${song.id}".*"status":"ready"`)))
    const audio = await at(1, ada).call('GET', `/api/songs/${song.id}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
    await mail(running.product, ada.email, /song is ready/i)

    // a link that is ended at one gateway is dead at the other at once
    const { body: share } = await at(0, ada).call<Share>('POST', `/api/songs/${song.id}/shares`)
    const link = `${at(1, ada).web}${new URL(share.url).pathname.replace('/s/', '/api/shares/')}/versions/1`
    expect((await fetch(link)).status).toBe(200)
    expect((await at(0, ada).call('DELETE', `/api/shares/${share.id}`)).status).toBe(204)
    expect((await fetch(link)).status).toBe(410)
    stream.close()
    expect(running.product.checkInvariants()).toContain(' 0 broken')
  })
})
