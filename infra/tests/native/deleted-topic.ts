import { SERVICE_NAMES } from '@prelude/contracts'
import { withOwnerConnection } from '@prelude/platform'
import { PASSWORD } from '@prelude/platform/conformance'
import { testDatabase, testLogger } from '@prelude/platform/testing'
import { Kafka, logLevel } from 'kafkajs'
import { expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { prepare } from '../../prepare/prepare.ts'
import { prelude } from '../support/run-command.ts'
import type { RealServer } from '../support/server-data.ts'
import { roleUrl } from '@prelude/platform/migrate'
import { startCredits, startPayments } from './payments-and-credits.ts'

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

    const placeOf = (service: string) => ({ databaseUrl: urlOf(service), busUrl, logger })
    const postings = () =>
      withOwnerConnection(adminUrl, async (client) => {
        const { rows } = await client.query<{ cents: number }>(
          `select amount_cents::int as cents from credits.entry where account = 'person:ada' order by id`,
        )
        return rows.map(({ cents }) => cents)
      })

    await prepareAll()
    const [payments, credits] = [startPayments(placeOf('payments')), await startCredits(placeOf('credits'))]
    await payments.pay('ada', 100)
    await eventually(async () => expect(await postings()).toEqual([100]))
    await credits.stop()
    await payments.pay('ada', 200) // no consumer has it
    await eventually(async () => expect(await payments.backlog()).toBe(0))
    await deleteTopic(busUrl)
    await payments.pay('ada', 300) // it can be forwarded nowhere
    expect(republish(1)).toContain('prelude-payments is running; stop all services first')
    expect(await payments.backlog()).toBe(1)
    await payments.stop()

    await prepareAll()
    expect(republish()).toContain('2 event(s) will be forwarded again')
    const [paymentsAgain, creditsAgain] = [
      startPayments(placeOf('payments')),
      await startCredits(placeOf('credits')),
    ]
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
