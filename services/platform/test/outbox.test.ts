import { expect, test, vi } from 'vitest'
import type { BusMessage, EventBus } from '../src/events/port.ts'
import { startRelay } from '../src/events/forwarder.ts'
import { outboxSource } from './outbox-source.ts'

test('two transactions that emit for one key are numbered and ordered as they commit: the second waits for the first', async () => {
  await using source = await outboxSource()
  const write = (n: number) => ({
    text: `select outbox_write(array['u'], array[1], array[1], array[1], array[gen_random_uuid()], array['t'], array['x'],
             array[1], $1, array['c'], array[null], array['{}'])`,
    values: [n],
  })
  const [first, second] = [await source.db.pool.connect(), await source.db.pool.connect()]
  for (const connection of [first, second]) await connection.query('begin')
  await first.query(write(1))
  const { rows } = await second.query<{ pid: number }>('select pg_backend_pid() as pid')
  let isThrough = false
  const emitting = second.query(write(2)).then(() => (isThrough = true))
  await vi.waitFor(
    async () => {
      const blocked = await source.db.query<{ by: number[] }>('select pg_blocking_pids($1) as by', [
        rows[0]?.pid,
      ])
      if (!isThrough && blocked.rows[0]?.by.length === 0) throw new Error('neither through nor waiting')
    },
    { timeout: 10_000 },
  )
  expect(isThrough).toBe(false)
  await first.query('commit')
  await emitting
  await second.query('commit')
  for (const connection of [first, second]) connection.release()
  const outbox = await source.db.query('select at, seq from outbox order by id')
  expect(outbox.rows).toEqual([
    { at: 1, seq: 1 },
    { at: 2, seq: 2 },
  ])
})

test('what the bus did not take is sent again until it does, in order', async () => {
  await using source = await outboxSource()
  const sent: BusMessage['value'][] = []
  let failures = 3
  const bus: Pick<EventBus, 'publish'> = {
    publish: async (_topic, messages) => {
      if (failures-- > 0) throw new Error('the broker is away')
      sent.push(...messages.map(({ value }) => value))
    },
  }
  for (const n of [1, 2, 3]) await source.emit('u', n)
  const relay = startRelay({ ...source, schema: 'source', bus: bus as EventBus })
  await vi.waitFor(() => expect(sent).toHaveLength(3), { timeout: 20_000 })
  await relay.stop()
  expect(sent.map((value) => (JSON.parse(value) as { seq: number }).seq)).toEqual([1, 2, 3])
  expect((await source.db.query('select 1 from outbox_unsent')).rows).toEqual([])
})

test('what is emitted while requests come first is sent when they have passed, in order', async () => {
  await using source = await outboxSource()
  const sent: BusMessage['value'][] = []
  const bus: Pick<EventBus, 'publish'> = {
    publish: async (_topic, messages) => void sent.push(...messages.map(({ value }) => value)),
  }
  let looks = 0
  let isCrowd = true
  const relay = startRelay({
    ...source,
    schema: 'source',
    bus: bus as EventBus,
    waits: () => {
      looks++
      return isCrowd
    },
  })
  for (const n of [1, 2, 3]) await source.emit('u', n)
  const before = looks
  await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 10), { timeout: 20_000 })
  expect(sent).toEqual([])
  isCrowd = false
  await vi.waitFor(() => expect(sent).toHaveLength(3), { timeout: 20_000 })
  await relay.stop()
  expect(sent.map((value) => (JSON.parse(value) as { seq: number }).seq)).toEqual([1, 2, 3])
})
