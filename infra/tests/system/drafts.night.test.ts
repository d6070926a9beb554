import type { Draft, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { fulfil } from '../support/audio-files.ts'
import { giveCredits, requestSong, somebody, unlockedOperator } from '../support/callers.ts'
import { startProductProcess } from '../support/product-process.ts'

/** A music generator that is busy, down, forgets, fails or is slow, while songs are delivered as ever. */
test('whatever the generator does, each draft ends as it says, and songs are delivered meanwhile', async () => {
  await using product = await startProductProcess({ RATE_LIMITS: 'off', GENERATOR_URL: 'stand-in' })
  const operator = await unlockedOperator(product)
  const ada = await somebody(product)
  await giveCredits(operator, ada.uid, 100)
  const control = async (act: string, seconds: number): Promise<void> => {
    const answer = await fetch(`${product.endpoints.generator}/control/${act}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seconds }),
    })
    expect(answer.status).toBe(200)
  }
  const ask = async ({ id }: Song): Promise<void> =>
    expect(
      (await operator.call('POST', `/api/operator/songs/${id}/drafts`, { json: { count: 1 } })).status,
    ).toBe(201)
  const until = ({ id }: Song, expected: Partial<Draft>): Promise<void> =>
    eventually(async () => {
      const { body } = await operator.call<{ items: Draft[] }>('GET', `/api/operator/songs/${id}/drafts`)
      expect(body.items).toMatchObject([expected])
    })
  const deliver = async (): Promise<void> =>
    expect((await fulfil(operator, (await requestSong(ada)).id)).status).toBe(200)

  const [busy, down, lost, failed, slow] = [
    await requestSong(ada),
    await requestSong(ada),
    await requestSong(ada),
    await requestSong(ada),
    await requestSong(ada),
  ]
  await control('busy', 5)
  await ask(busy)
  await until(busy, { state: 'waiting', error: 'The generator is busy.' })
  await deliver()
  await until(busy, { state: 'ready', error: null })

  await control('down', 5)
  await ask(down)
  await until(down, { state: 'waiting', error: expect.stringContaining('cannot be reached') as string })
  await deliver()
  await until(down, { state: 'ready', error: null })

  await control('slow', 8)
  await ask(lost)
  await until(lost, { state: 'making' })
  await control('lose', 0)
  await until(lost, { state: 'lost' })

  await ask(slow)
  await until(slow, { state: 'making' })
  await deliver()
  await until(slow, { state: 'ready' })

  await control('slow', 0)
  await control('fail', 60)
  await ask(failed)
  await until(failed, { state: 'failed' })
  await deliver()
  product.checkInvariants()
})
