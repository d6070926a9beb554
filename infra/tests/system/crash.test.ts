import { randomUUID } from 'node:crypto'
import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { giveCredits, settled, somebody, unlockedOperator } from '../support/callers.ts'
import { balanceIs } from '../support/checkout.ts'
import { allSongs } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'

/** kill -9 under load: no accepted song is lost, none is charged twice. */

const SUBMITS = 200
const KILLED_AFTER = 60
const PAID_FOR = 100
const CONCURRENT = 16
/** The key of a request that was under way is free half a minute later. */
const KEY_FREE_MS = 30_000

test('a kill during 200 submits, of which those without an answer are repeated under their keys, loses no accepted song and charges none twice', async () => {
  await using product = await startProductProcess({ RATE_LIMITS: 'off' }, { clock: true })
  const singer = await somebody(product)
  await giveCredits(await unlockedOperator(product), singer.uid, 10 * PAID_FOR)
  await balanceIs(singer, 10 * PAID_FOR)

  const keys = Array.from({ length: SUBMITS }, () => randomUUID())
  const accepted = new Map<string, string>()
  const submit = async (key: string): Promise<void> => {
    const sending = { json: { lyrics: key, style: 'folk' }, headers: { 'idempotency-key': key } }
    const { status, body } = await singer.call<Song>('POST', '/api/songs', sending)
    expect(status).toBe(201)
    accepted.set(key, body.id)
  }
  let killed: Promise<void> | undefined
  const waiting = [...keys]
  const worker = async (): Promise<void> => {
    while (killed === undefined) {
      await submit(waiting.pop() ?? '').catch(() => {}) // the kill ends those under way
      if (accepted.size >= KILLED_AFTER) killed ??= product.kill()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, worker))
  await killed
  const before = new Map(accepted)
  expect(before.size).toBeLessThan(KILLED_AFTER + CONCURRENT)

  await product.start()
  const unanswered = keys.filter((key) => !accepted.has(key))
  await product.pass(KEY_FREE_MS)
  await Promise.all(unanswered.map((key) => eventually(() => submit(key))))
  for (const [key, id] of before) expect(accepted.get(key)).toBe(id)

  await settled(product)
  const songs = await allSongs(singer)
  expect(songs).toHaveLength(SUBMITS)
  expect(new Set(songs.map(({ lyrics }) => lyrics))).toEqual(new Set(keys))
  expect(songs.filter(({ charge }) => charge === 'charged')).toHaveLength(PAID_FOR)
  expect(songs.filter(({ charge }) => charge === 'declined')).toHaveLength(SUBMITS - PAID_FOR)
  await balanceIs(singer, 0)
  expect(product.checkInvariants()).toContain(' 0 broken')
})
