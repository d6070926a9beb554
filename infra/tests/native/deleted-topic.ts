import { PaymentSucceeded, SERVICE_NAMES } from '@prelude/contracts'
import { createCredits } from '@prelude/credits'
import {
  newId,
  openBus,
  runService,
  serviceDatabase,
  systemClock,
  withOwnerConnection,
} from '@prelude/platform'
import { PASSWORD } from '@prelude/platform/conformance'
import { testDatabase, testIdentity, testLogger } from '@prelude/platform/testing'
import { Kafka, logLevel } from 'kafkajs'
import { expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { prepare } from '../../prepare/prepare.ts'
import { prelude } from '../support/run-command.ts'
import type { RealServer } from '../support/server-data.ts'
import { roleUrl } from '@prelude/platform/migrate'

/** The steps of docs/operations/backup.md, "When Kafka's data is lost", for a topic that somebody has deleted. */

const TOPIC = 'prelude.payments'

export function deletedTopic(server: () => RealServer): void {
  test('events of a deleted topic have their effect once after prepare and republish', async () => {
    const logger = testLogger()
    await using database = await testDatabase()
    const { adminUrl } = database
    const busUrl = server().url
    const urlOf = (schema: string): string => roleUrl(adminUrl, schema, PASSWORD)
    const databaseUrls = Object.fromEntries(SERVICE_NAMES.map((name) => [name, urlOf(name)]))
    const prepareAll = () =>
      prepare({ adminUrl, busUrl, kvUrl: urlOf('kv'), auditUrl: null, databaseUrls }, logger)
    const republish = (code = 0): string =>
      prelude({ ...process.env, DATABASE_ADMIN_URL: adminUrl }, ['republish', `--topic=${TOPIC}`], code)

    /** Payments as far as it emits. */
    const startPayments = () => {
      const bus = openBus(busUrl, logger, { identity: testIdentity('payments') })
      const db = serviceDatabase({ url: urlOf('payments'), service: 'payments', clock: systemClock, logger })
      const publisher = bus.publish({ topic: TOPIC, db, databaseUrl: urlOf('payments'), logger })
      db.onEmit(publisher.wake)
      return {
        pay: (cents: number) =>
          db.transaction(async (tx) =>
            tx.emit(PaymentSucceeded, { paymentId: newId(), uid: 'ada', credits: cents, method: 'card' }),
          ),
        backlog: async () => (await publisher.backlog())?.events,
        stop: async () => {
          await publisher.stop()
          await db.close()
          await bus.close()
        },
      }
    }
    const startCredits = async () => {
      const bus = openBus(busUrl, logger, { identity: testIdentity('credits') })
      const db = serviceDatabase({ url: urlOf('credits'), service: 'credits', clock: systemClock, logger })
      const running = await runService({
        service: createCredits({ db, clock: systemClock, config: { startingCreditsCents: 0 } }),
        db,
        databaseUrl: urlOf('credits'),
        bus,
        clock: systemClock,
        logger,
        identity: testIdentity('credits'),
      })
      return {
        stop: async () => {
          await running.stop()
          await bus.close()
        },
      }
    }
    const postings = () =>
      withOwnerConnection(adminUrl, async (client) => {
        const { rows } = await client.query<{ cents: number }>(
          `select amount_cents::int as cents from credits.entry where account = 'person:ada' order by id`,
        )
        return rows.map(({ cents }) => cents)
      })

    await prepareAll()
    const [payments, credits] = [startPayments(), await startCredits()]
    await payments.pay(100)
    await eventually(async () => expect(await postings()).toEqual([100]))
    await credits.stop()
    await payments.pay(200) // no consumer has it
    await eventually(async () => expect(await payments.backlog()).toBe(0))
    await deleteTopic(busUrl)
    await payments.pay(300) // it can be forwarded nowhere
    expect(republish(1)).toContain('prelude-payments is running; stop all services first')
    expect(await payments.backlog()).toBe(1)
    await payments.stop()

    await prepareAll()
    expect(republish()).toContain('2 event(s) will be forwarded again')
    const [paymentsAgain, creditsAgain] = [startPayments(), await startCredits()]
    await eventually(async () => expect(await postings()).toEqual([100, 200, 300]))
    await Promise.all([paymentsAgain.stop(), creditsAgain.stop()])
  })
}

async function deleteTopic(busUrl: string): Promise<void> {
  const kafka = new Kafka({ brokers: [new URL(busUrl).host], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  await admin.deleteTopics({ topics: [TOPIC] })
  await admin.disconnect()
}
