import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ops } from '@prelude/contracts'
import { kafkaAddress } from '@prelude/platform'
import { Kafka, logLevel } from 'kafkajs'
import type { Person } from '../../support/person.ts'
import { hangHandlers } from '../hang-handlers.ts'
import { balanceIs, instancesOf, must, type Scene, someone, unlockedOperator, until } from '../scene.ts'
import { submits } from '../submits.ts'
import { decided, lockTable, sql, submit } from './acts.ts'
import type { Alarm } from './alarm.ts'

/** Faults that stop events from being handled. */

const ROOT = resolve(import.meta.dirname, '../../../..')

/** `make replay`, on these servers. */
function replay({ stack, note }: Scene): void {
  const env = { ...process.env, DATABASE_ADMIN_URL: stack.servers.adminUrl }
  const output = execFileSync(process.execPath, ['infra/cli/main.ts', 'replay'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  })
  note(`make replay: ${output.trim().replaceAll('\n', ' / ')}`)
}

/** A person whose first song every service has handled. */
async function knownPerson(scene: Scene): Promise<Person> {
  const person = await someone(scene)
  await submit(scene, person)
  await delay(2_000)
  return person
}

/** Writes 7,777 credits for this person into the topic of payments, as somebody who can reach the broker. */
async function forgePayment({ stack }: Scene, uid: string): Promise<void> {
  const { brokers, prefix } = kafkaAddress(stack.servers.busUrl)
  const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
  const producer = client.producer({ allowAutoTopicCreation: false })
  const value = JSON.stringify({
    id: crypto.randomUUID(),
    type: 'PaymentSucceeded',
    version: 1,
    topic: 'prelude.payments',
    key: uid,
    position: 1,
    at: Date.now(),
    correlationId: crypto.randomUUID(),
    data: { paymentId: crypto.randomUUID(), uid, credits: 777_700, method: 'card' },
  })
  await producer.connect()
  try {
    await producer.send({ topic: `${prefix}prelude.payments`, messages: [{ key: uid, value }] })
  } finally {
    await producer.disconnect()
  }
}

/** As the operator does in /ops. */
async function discardAll(scene: Scene): Promise<void> {
  const operator = await unlockedOperator(scene)
  const { body } = await operator.get<Ops>('/api/operator/ops')
  for (const { service, id } of body.deadLetters) {
    const path = `/api/operator/ops/dead-letters/${service}/${id}/discard`
    const { status } = await operator.post(path, { reason: 'forged' })
    must(status === 200, `discarding it answers ${status}`)
  }
  const services = body.deadLetters.map(({ service }) => service)
  scene.note(`discarded: ${services.length} dead letters (${services.join(', ')})`)
}

/** State of a provocation for its repair. */
const kept: { person?: Person; songId?: string; release?: () => void } = {}

async function untilDecided(scene: Scene): Promise<void> {
  const { person, songId } = kept as Required<typeof kept>
  const ms = await decided(scene, person, songId)
  scene.note(`the song is decided ${Math.round(ms / 1000)} s later`)
}

export const EVENTS: readonly Alarm[] = [
  {
    alerts: ['PreludeDeadLetters'],
    how: 'a key is parked at credits, and another event of the person arrives',
    provoke: async (scene) => {
      const person = await knownPerson(scene)
      await sql(
        scene,
        `insert into credits.parked_key (topic, key) values ('prelude.songs', '${person.uid}')`,
      )
      Object.assign(kept, { person, songId: await submit(scene, person) })
    },
    repair: replay,
  },
  {
    alerts: ['PreludeEventForged', 'PreludeDeadLetters'],
    how: 'somebody writes a payment into the topic of payments, past payments',
    provoke: async (scene) => {
      kept.person = await someone(scene, 25)
      await forgePayment(scene, kept.person.uid)
    },
    repair: async (scene) => {
      const { person } = kept as Required<typeof kept>
      await balanceIs(scene, person, 25)
      await discardAll(scene)
    },
  },
  {
    alerts: ['PreludeConsumerLagging', 'PreludeChargeUndecided'],
    how: 'a lock on the ledger holds credits up while 1,200 songs are submitted',
    provoke: async (scene) => {
      const people = await Promise.all(Array.from({ length: 4 }, () => someone(scene)))
      kept.release = await lockTable(scene, 'credits.account in exclusive mode')
      await submits(scene, people, 300).done
      await sql(scene, `update songs.song set created_at = created_at - 400000 where charge = 'deciding'`)
    },
    repair: () => kept.release?.(),
  },
  {
    alerts: ['PreludeConsumerStalled'],
    how: 'a fault in credits: its handlers never return',
    provoke: async (scene) => {
      const credits = instancesOf(scene, 'credits')[0]!
      const log = join(scene.stack.dataDir, credits.program.name, `${credits.program.name}.log`)
      kept.release = await hangHandlers(credits.program.pid(), log)
      kept.person = await someone(scene)
      kept.songId = await submit(scene, kept.person)
      const isHealthy = async (): Promise<boolean> => (await fetch(`${credits.address}/healthz`)).ok
      const ms = await until('bad health', 90_000, async () => ((await isHealthy()) ? 'it is healthy' : null))
      scene.note(`/healthz is 503 after ${Math.round(ms / 1000)} s`)
    },
    repair: async (scene) => {
      kept.release?.()
      instancesOf(scene, 'credits')[0]!.program.crash()
      await untilDecided(scene)
    },
  },
  {
    alerts: ['PreludeLiveFeedBehind'],
    how: 'Kafka is back with the events of 1,200 requests while Redis refuses connections',
    provoke: async (scene) => {
      const { kafka, redis } = scene.stack.links
      const people = await Promise.all(Array.from({ length: 4 }, () => someone(scene)))
      await kafka?.cut()
      await submits(scene, people, 300).done
      await redis?.cut()
      await kafka?.heal()
    },
    repair: async ({ stack }) => {
      await stack.links.kafka?.heal()
      await stack.links.redis?.heal()
    },
  },
]
