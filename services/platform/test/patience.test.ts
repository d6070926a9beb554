import { CreditsAdded, UserRegistered } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { newId } from '../src/ids.ts'
import { on } from '../src/host/service.ts'
import { createInbox, messageOf, testLogger, testService } from '../src/testing/index.ts'

/** Takes first events of so many people, and answers how long it took. The part hears of new people alone. */
async function take(event: typeof UserRegistered | typeof CreditsAdded, many: number, patienceMs: number) {
  await using service = await testService(() => ({
    name: 'credits',
    schema: 'sink',
    migrations: new URL('tally/', import.meta.url),
    routes: () => {},
    reactions: [],
  }))
  const inbox = createInbox({
    part: 'sink',
    db: service.db,
    reactions: [on(UserRegistered, async () => {})],
    logger: testLogger(),
    patienceMs,
  })
  const batch = Array.from({ length: many }, (_, i) => {
    const data = { uid: `u${i}`, amount: 1, reason: '', reference: null, balance: 1, version: 1 }
    return messageOf(event, data, { id: newId(), seq: 1, at: Date.now() })
  })
  const from = performance.now()
  await inbox.take(batch)
  return performance.now() - from
}

test('who has patience lets more of a crowd come, whether or not the last were for them', async () => {
  const patienceMs = 500
  for (const event of [UserRegistered, CreditsAdded])
    expect(await take(event, 20, patienceMs)).toBeGreaterThan(patienceMs - 2) // a timer may be early by one
})

test('a lonely event is waited with for nothing', async () => {
  await take(UserRegistered, 1, 60_000)
})
