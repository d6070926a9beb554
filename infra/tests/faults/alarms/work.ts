import { setTimeout as delay } from 'node:timers/promises'
import { buyCredits, type Person, signIn } from '../../support/person.ts'
import { fulfil } from '../fulfil.ts'
import {
  ask,
  instancesOf,
  must,
  type Scene,
  someone,
  unlockedOperator,
  until,
  withDatabase,
} from '../scene.ts'
import { decided, sql, submit } from './acts.ts'
import type { Alarm } from './alarm.ts'
import { press } from '../../support/checkout-page.ts'

/** Songs, payments and mails that wait. Where a rule waits for hours, a row is made that old. */

/** State of a provocation for its repair. */
const kept: { person?: Person; songId?: string; paymentId?: string } = {}

const RECEIPT_WITHIN_MS = 30_000

/** Makes a receipt that cannot be sent, and changes its row by hand. */
async function unsentMail(scene: Scene, change: string): Promise<void> {
  await scene.stack.links.mail?.cut()
  await buyCredits(await someone(scene), 25)
  await withDatabase(scene, (query) =>
    until('its receipt', RECEIPT_WITHIN_MS, async () => {
      const changed = `update notifier.message set ${change} where state in ('pending', 'sending') returning id`
      return (await query(changed)).length > 0 ? null : 'no mail is due'
    }),
  )
}

export const WORK: readonly Alarm[] = [
  {
    alerts: ['PreludeSongsOverdue'],
    how: 'the promise of a paid song passed two days ago',
    provoke: async (scene) => {
      const person = await someone(scene, 30)
      const id = await submit(scene, person)
      await decided(scene, person, id)
      await sql(scene, `update songs.song set promised_at = promised_at - 3 * 86400000 where id = '${id}'`)
      kept.songId = id
    },
    repair: async (scene) => {
      const { status } = await fulfil(scene, await unlockedOperator(scene), kept.songId ?? '')
      must(status === 200, `fulfilling answers ${status}`)
    },
  },
  {
    alerts: ['PreludePromisesMissed'],
    how: 'the promises of five songs pass',
    provoke: async (scene) => {
      const person = await someone(scene, 50)
      for (let n = 0; n < 5; n++) await decided(scene, person, await submit(scene, person))
      await sql(scene, `update songs.song set promised_at = 1 where uid = '${person.uid}'`)
    },
    repair: () => {},
  },
  {
    alerts: ['PreludeAnalysesWait'],
    how: 'the audio of 25 songs waits to be analysed',
    provoke: (scene) =>
      sql(
        scene,
        `insert into storage.analysis (song_id, uid, due_at)
         select gen_random_uuid()::text, 'alarm', now() + interval '1 hour' from generate_series(1, 25)`,
      ),
    repair: (scene) => sql(scene, `delete from storage.analysis where uid = 'alarm'`),
  },
  {
    alerts: ['PreludePaymentsUncredited', 'PreludeServiceDown'],
    how: 'somebody pays while credits is stopped',
    provoke: async (scene) => {
      const person = await someone(scene)
      await instancesOf(scene, 'credits')[0]?.program.stop()
      kept.paymentId = await buyCredits(person, 25)
      kept.person = person
      await delay(1_000)
      const { body } = await ask<{ status: string }>(scene, person, 'GET', `/api/payments/${kept.paymentId}`)
      scene.note(`the payment is ${body.status}`)
    },
    repair: (scene) => instancesOf(scene, 'credits')[0]?.program.start(),
  },
  {
    alerts: ['PreludePaymentSuspicious'],
    how: 'a checkout is paid with another amount than the payment has',
    provoke: async (scene) => {
      const person = await someone(scene)
      const { body } = await person.post<{ url: string; id: string }>('/api/payments', { amount: 25 })
      await sql(
        scene,
        `update payments.payment set amount_cents = amount_cents + 100 where id = '${body.id}'`,
      )
      await press(body, 'pay')
      await delay(2_000)
      const { body: credits } = await ask<{ balance: number }>(scene, person, 'GET', '/api/credits')
      scene.note(`the balance of this person is ${credits.balance}`)
    },
    repair: () => {},
  },
  {
    alerts: ['PreludeWebhooksRefused'],
    how: 'webhooks arrive with a wrong signature',
    provoke: async (scene) => {
      for (let n = 0; n < 12; n++) {
        const { status } = await ask(scene, null, 'POST', '/api/webhooks/stripe', {
          json: { id: `evt_${n}` },
        })
        if (n === 0) scene.note(`such a webhook is answered ${status}`)
        await delay(1_000)
      }
    },
    repair: () => {},
  },
  {
    alerts: ['PreludeTransfersWait'],
    how: 'a transfer from Nigeria was announced two hours ago',
    provoke: async (scene) => {
      const person = await someone(scene)
      const { status, body } = await person.post<{ id: string }>(
        '/api/payments/naira-transfers',
        {},
        { 'x-country': 'NG' },
      )
      must(status === 201, `it answers ${status}`)
      kept.paymentId = body.id
      await sql(
        scene,
        `update payments.payment set created_at = created_at - 7200000 where id = '${body.id}'`,
      )
    },
    repair: async (scene) => {
      const operator = await unlockedOperator(scene)
      const path = `/api/operator/transfers/${kept.paymentId}/reject`
      const { status } = await operator.post(path, { reason: 'No such transfer.' })
      scene.note(`the operator rejects it: ${status}`)
    },
  },
  {
    alerts: ['PreludeMailQueueOld', 'PreludeDependencyDown', 'PreludeCallsFailing'],
    how: 'the mail server refuses connections, a mail is 20 minutes old, and four more are due',
    provoke: async (scene) => {
      await unsentMail(scene, 'created_at = created_at - 1200000')
      for (let n = 0; n < 4; n++) await buyCredits(await someone(scene), 25)
    },
    repair: ({ stack }) => stack.links.mail?.heal(),
  },
  {
    alerts: ['PreludeMailsFailed'],
    how: 'a mail has reached the end of its retries',
    provoke: async (scene) => {
      await unsentMail(scene, 'give_up_at = 0, next_at = 0')
    },
    repair: async (scene) => {
      await scene.stack.links.mail?.heal()
      await sql(
        scene,
        `update notifier.message set state = 'pending', next_at = 0, give_up_at = 9e12 where state = 'failed'`,
      )
    },
  },
  {
    alerts: ['PreludePushesUnauthorized'],
    how: 'the signature of a push is refused for three people',
    provoke: async (scene) => {
      await sql(
        scene,
        `with refused as (
           insert into notifier.push_subscription (id, uid, endpoint, p256dh, auth, created_at)
           select gen_random_uuid(), 'u' || n, 'https://push.example/' || n, '', '', 0 from generate_series(1, 3) n returning id)
         insert into notifier.push_message (subscription_id, song_id, next_at, give_up_at, unauthorized)
         select id, 's', 9e12, 9e12, true from refused`,
      )
    },
    repair: async (scene) => {
      await sql(scene, `delete from notifier.push_subscription where endpoint like 'https://push.example/%'`)
    },
  },
  {
    alerts: ['PreludeSignInsFailing'],
    how: 'the gateway does not reach the identity provider, and people try to sign in',
    provoke: async (scene) => {
      await scene.stack.links.identity?.cut()
      for (let n = 0; n < 25; n++) {
        const problem = await signIn(scene.stack, { email: `nobody-${n}@example.test` }).then(
          () => 'signed in',
          (error: Error) => error.message,
        )
        if (n === 0) scene.note(problem)
        await delay(500)
      }
    },
    repair: ({ stack }) => stack.links.identity?.heal(),
  },
]
