import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { systemClock } from '../src/clock.ts'
import { migrate, roleUrl } from '../src/database/index.ts'
import { eventSchemaOf, serviceDatabase } from '../src/events/index.ts'
import { startForwarder } from '../src/events/kafka/forwarder.ts'
import { testDatabase, testLogger } from '../src/testing/index.ts'

/** What holds without a broker; `kafka-bus.test.ts` forwards to a real one, and kills both. */

const TOPIC = 'prelude.songs'
const PASSWORD = 'test-role-password'

test('the cursor stays before what the broker has not acknowledged, which is sent again', async () => {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const logger = testLogger()
  await migrate(adminUrl, eventSchemaOf('songs'), PASSWORD, logger)
  const databaseUrl = roleUrl(adminUrl, 'songs', PASSWORD)
  const db = serviceDatabase({ url: databaseUrl, service: 'songs', clock: systemClock, logger })
  onTestFinished(async () => {
    await db.close()
    await drop()
  })
  await db.query(
    `insert into event (id, key, type, version, at, correlation_id, data)
     select gen_random_uuid(), 'u', 'T', 1, 1, 'c', '{}' from generate_series(1, 3)`,
  )
  const cursor = async (): Promise<number | undefined> => {
    const { rows } = await db.query<{ position: number }>('select position from cursor where topic = $1', [
      TOPIC,
    ])
    return rows[0]?.position
  }

  const sent: { positions: number[]; cursor: number | undefined }[] = []
  const forwarder = startForwarder({ topic: TOPIC, db, databaseUrl, logger }, async (_topic, events) => {
    sent.push({ positions: events.map(({ position }) => position), cursor: await cursor() })
    if (sent.length === 1) throw new Error('the broker is away')
  })
  await eventually(async () => expect(await cursor()).toBe(3))
  await forwarder.stop()
  const again = { positions: [1, 2, 3], cursor: sent[0]?.cursor }
  expect(sent).toEqual([again, again])
  expect(again.cursor ?? 0).toBe(0)
})
