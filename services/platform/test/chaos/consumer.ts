import { systemClock } from '../../src/clock.ts'
import { serviceDatabase } from '../../src/events/append.ts'
import { createConsumer } from '../../src/events/consumer.ts'
import { on } from '../../src/events/handler.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { Counted, TOPIC } from '../conformance/counted.ts'
import { emit } from './emit.ts'
import { type ChaosEnv, chaosIdentity } from './env.ts'

/** A process of the service `credits` that records each event of `songs`, until it is killed; without a broker it also emits some. */
const { songsUrl, creditsUrl, busUrl, seed } = JSON.parse(process.env['CHAOS'] ?? '') as ChaosEnv
const logger = createLogger({ service: 'chaos', level: 'silent', pretty: false })
const db = serviceDatabase({ url: creditsUrl, service: 'credits', clock: systemClock, logger })
const consumer = createConsumer({
  service: 'credits',
  db,
  logger,
  subscribers: [
    on(Counted, async ({ data: { uid, n }, position }, tx) => {
      await tx.query(
        `insert into tally (uid, total, last_position, in_order) values ($1, 1, $3, $2 = 1)
         on conflict (uid) do update set total = tally.total + 1, last_position = $3,
           in_order = tally.in_order and tally.total = $2::bigint - 1 and tally.last_position < $3`,
        [uid, n, position],
      )
    }),
  ],
})
// only the adapter that is needed: a process that is killed often has to start fast
const bus = busUrl.startsWith('kafka:')
  ? (await import('../../src/events/kafka/kafka-bus.ts')).kafkaBus({
      url: busUrl,
      identity: chaosIdentity('credits'),
      logger,
      onFatal: () => process.exit(1),
    })
  : (await import('../../src/events/log-bus.ts')).logBus({
      url: busUrl,
      logger,
      onFatal: () => process.exit(1),
    })
await bus.subscribe({
  group: 'credits',
  topics: [TOPIC],
  from: consumer.position,
  receive: consumer.receive,
})
if (!busUrl.startsWith('kafka:')) {
  const songs = serviceDatabase({ url: songsUrl, service: 'songs', clock: systemClock, logger })
  songs.onEmit(bus.publish({ topic: TOPIC, db: songs, databaseUrl: songsUrl, logger }).wake)
  await emit(songs, seed)
}
