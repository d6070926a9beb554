import type { Ops } from '@prelude/contracts'
import { unlockedOperator } from '../../support/person.ts'
import { must, people, someone, trySubmit } from '../calls.ts'
import { balanceIs } from '../../support/checkout.ts'
import { containersOf, crash, stopped } from '../faults.ts'
import { type Scene, settle, sql } from '../scene.ts'
import { submits } from '../submits.ts'
import { type Alarm, lockTable } from './alarm.ts'

/** Faults that stop events from being handled, and books that do not agree. */

/** Runs in a container with the administrator's address of the broker: writes 7,777 credits into the topic of payments. */
const FORGE_A_PAYMENT = `
  import { readFileSync } from 'node:fs'
  import { kafkaAddress } from '@prelude/platform'
  import { Kafka } from 'kafkajs'
  const uid = process.env.PAYER
  const { brokers, sasl } = kafkaAddress(readFileSync('/run/secrets/prepare-bus-url', 'utf8').trim())
  const producer = new Kafka({ brokers, sasl, ssl: true }).producer({ allowAutoTopicCreation: false })
  const value = JSON.stringify({
    id: crypto.randomUUID(), type: 'PaymentSucceeded', version: 1, topic: 'prelude.payments', key: uid, position: 1,
    at: Date.now(), correlationId: crypto.randomUUID(),
    data: { paymentId: crypto.randomUUID(), uid, credits: 777_700, method: 'card' },
  })
  await producer.connect()
  await producer.send({ topic: 'prelude.payments', messages: [{ key: uid, value }] })
  process.exit()
`

/** Runs beside a service, in its container, and in it by its debugger: from now on none of its handlers returns. */
const HANG_HANDLERS = `
  const patch = () => {
    const get = Map.prototype.get
    Map.prototype.get = function (key) {
      const found = get.call(this, key)
      if (typeof found?.handle === 'function') found.handle = () => new Promise(() => {})
      return found
    }
  }
  process.kill(1, 'SIGUSR1')
  const listed = () => fetch('http://127.0.0.1:9229/json/list').then((answer) => answer.json()).catch(listed)
  const [{ webSocketDebuggerUrl }] = await listed()
  const socket = new WebSocket(webSocketDebuggerUrl)
  const params = { expression: '(' + patch + ')()' }
  socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }))
  socket.onmessage = () => process.exit()
`
const RUN = ['node', '--input-type=module', '--eval']

/** As the operator does in /ops. */
async function discardAll(scene: Scene): Promise<void> {
  const operator = await unlockedOperator(scene)
  const { body } = await operator.get<Ops>('/api/operator/ops')
  for (const { service, id } of body.deadLetters) {
    const path = `/api/operator/ops/dead-letters/${service}/${id}/discard`
    const { status } = await operator.post(path, { reason: 'forged' })
    must(status === 200, `discarding it answers ${status}`)
  }
}

/** The hourly comparison, now. */
const compareServices = ({ compose }: Scene): Promise<string> =>
  compose('run', '--rm', '--no-deps', 'auditor', 'node', 'infra/invariants/hourly.ts', '--once')

export const EVENTS: readonly Alarm[] = [
  {
    alerts: ['PreludeEventForged', 'PreludeDeadLetters'],
    how: 'somebody writes a payment into the topic of payments, past payments',
    provoke: async (scene) => {
      const person = await someone(scene, 25)
      const payer = `PAYER=${person.uid}`
      await scene.compose('run', '--rm', '--no-deps', '--env', payer, 'prepare', ...RUN, FORGE_A_PAYMENT)
      return async () => {
        await balanceIs(person, 25)
        await discardAll(scene)
      }
    },
  },
  {
    alerts: ['PreludeConsumerLagging', 'PreludeChargeUndecided'],
    how: 'a lock on the ledger holds credits up while 1,200 songs are submitted',
    provoke: async (scene) => {
      const singers = await people(scene, 4)
      const release = await lockTable(scene, 'credits.account in exclusive mode')
      await submits(scene, singers, 300).done
      await sql(scene, `update songs.song set created_at = created_at - 400000 where charge = 'deciding'`)
      return release
    },
  },
  {
    alerts: ['PreludeConsumerStalled'],
    how: 'a fault in credits: the handlers of its instances never return',
    provoke: async (scene) => {
      const instances = await containersOf(scene, 'credits')
      for (const instance of instances) await scene.docker('exec', instance, ...RUN, HANG_HANDLERS)
      const person = await someone(scene)
      await trySubmit(scene, person)
      return async () => {
        for (const instance of instances) await crash(scene, instance)
        await settle(scene)
      }
    },
  },
  {
    alerts: ['PreludeLiveFeedBehind'],
    how: 'Kafka is back with the events of 1,200 requests while Redis is stopped',
    provoke: async (scene) => {
      const [kafka, redis] = [stopped('kafka'), stopped('redis')]
      const singers = await people(scene, 4)
      await kafka.start(scene)
      await submits(scene, singers, 300).done
      await redis.start(scene)
      await kafka.end(scene)
      return () => redis.end(scene)
    },
  },
  {
    alerts: ['PreludeInvariantBroken'],
    how: "the database's owner writes another amount into a payment",
    provoke: async (scene) => {
      const { uid } = await someone(scene, 30)
      const raise = (by: number) =>
        sql(scene, `update payments.payment set credits_cents = credits_cents + ${by} where uid = '${uid}'`)
      await settle(scene)
      await raise(100)
      await compareServices(scene)
      return async () => {
        await raise(-100)
        await compareServices(scene)
      }
    },
  },
  {
    alerts: ['PreludeCrossCheckStale'],
    how: 'the last comparison of the services was four hours ago',
    provoke: async (scene) => {
      await compareServices(scene)
      await sql(scene, 'update notifier.cross_check set checked_at = checked_at - 4 * 3600000')
      return () => compareServices(scene)
    },
  },
]
