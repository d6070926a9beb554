import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from './support/eventually.ts'
import { systemClock } from '../src/clock.ts'
import { withOwnerConnection } from '../src/database/index.ts'
import { eventSchemaOf, serviceDatabase } from '../src/events/index.ts'
import { type Send, startForwarder } from '../src/events/kafka/forwarder.ts'
import { LogTruncated } from '../src/events/log-reader.ts'
import { failTest, testDatabase, testLogger } from './support/index.ts'
import { migrate, roleUrl } from '../migrate/index.ts'

/** What holds without a broker; `kafka-bus.test.ts` forwards to a real one, and kills both. */

const TOPIC = 'prelude.songs'
const PASSWORD = 'test-role-password'

async function songsLog(events: number) {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const logger = testLogger()
  await migrate(adminUrl, eventSchemaOf('songs'), PASSWORD, logger)
  const databaseUrl = roleUrl(adminUrl, 'songs', PASSWORD)
  const db = serviceDatabase({ url: databaseUrl, service: 'songs', clock: systemClock, logger })
  onTestFinished(async () => {
    await db.close()
    await drop()
  })
  const append = (count: number) =>
    db.query(
      `insert into event (id, key, type, version, at, correlation_id, data)
       select gen_random_uuid(), 'u', 'T', 1, 1, 'c', '{}' from generate_series(1, $1)`,
      [count],
    )
  await append(events)
  return {
    publish: { topic: TOPIC, db, databaseUrl, logger } as const,
    append,
    /** As a replica that never got the events after this position. */
    loseAfter: (position: number) =>
      withOwnerConnection(adminUrl, async (owner) => {
        await owner.query('delete from songs.event where position > $1', [position])
        await owner.query(`select setval('songs.event_position_seq', $1)`, [position])
        await owner.query(`update songs.cursor set position = $1, taken = $1`, [position])
      }),
    cursor: async (): Promise<number | undefined> => {
      const { rows } = await db.query<{ position: number }>('select position from cursor where topic = $1', [
        TOPIC,
      ])
      return rows[0]?.position
    },
  }
}

test('the cursor stays before what the broker has not acknowledged, which is sent again', async () => {
  const { publish, cursor } = await songsLog(3)
  const sent: { positions: number[]; cursor: number | undefined }[] = []
  const send: Send = async (_topic, events) => {
    sent.push({ positions: events.map(({ position }) => position), cursor: await cursor() })
    if (sent.length === 1) throw new Error('the broker is away')
  }
  const forwarder = startForwarder(publish, send, { onFatal: failTest })
  await eventually(async () => expect(await cursor()).toBe(3))
  await forwarder.stop()
  const again = { positions: [1, 2, 3], cursor: sent[0]?.cursor }
  expect(sent).toEqual([again, again])
  expect(again.cursor ?? 0).toBe(0)
})

test('a log that has lost events which were forwarded ends the process', async () => {
  const { publish, cursor, append, loseAfter } = await songsLog(3)
  const sent: number[] = []
  const onFatal = vi.fn<(error: Error) => void>()
  const send: Send = async (_topic, events) => void sent.push(...events.map(({ position }) => position))
  const forwarder = startForwarder(publish, send, { onFatal })
  await eventually(async () => expect(await cursor()).toBe(3))
  await loseAfter(2)
  await append(2)
  forwarder.wake()
  await eventually(() => expect(onFatal).toHaveBeenCalledOnce())
  await forwarder.stop()
  expect(onFatal).toHaveBeenCalledWith(expect.any(LogTruncated))
  expect(sent).toEqual([1, 2, 3])
})
