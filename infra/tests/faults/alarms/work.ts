import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@prelude/platform/eventually'
import { press } from '../../support/checkout-page.ts'
import { buyCredits, requestSong, signIn, unlockedOperator } from '../../support/person.ts'
import { ask, makeReady, must, pay, people, someone } from '../calls.ts'
import { balanceIs } from '../../support/checkout.ts'
import { containersOf, disconnect, stopped } from '../faults.ts'
import { type Scene, sql } from '../scene.ts'
import type { Alarm } from './alarm.ts'

/** Songs, payments and mails that wait. Where a rule waits for hours, a row is made that old. */

/** Makes a receipt that cannot be sent, and changes its row by hand. */
async function unsentMail(scene: Scene, change: string): Promise<void> {
  await buyCredits(await someone(scene), 25)
  const due = `state in ('pending', 'sending') and give_up_at > 0 and created_at > extract(epoch from now()) * 1000 - 600000`
  await eventually(async () => {
    const changed = await sql(scene, `update notifier.message set ${change} where ${due} returning id`)
    must(changed !== '', 'no mail is due')
  })
}

export const WORK: readonly Alarm[] = [
  {
    alerts: ['PreludeSongsOverdue', 'PreludePromisesMissed'],
    how: 'the promises of five songs passed days ago',
    provoke: async (scene) => {
      const [person, operator] = [await someone(scene, 50), await unlockedOperator(scene)]
      const ids: string[] = []
      for (let n = 0; n < 5; n++) ids.push((await requestSong(person)).id)
      await sql(scene, `update songs.song set promised_at = 1 where uid = '${person.uid}'`)
      return async () => {
        for (const id of ids) await makeReady(scene, operator, id)
      }
    },
  },
  {
    alerts: ['PreludeAnalysesWait'],
    how: 'the audio of 25 songs waits to be analysed',
    provoke: async (scene) => {
      await sql(
        scene,
        `insert into storage.analysis (song_id, uid, due_at)
         select gen_random_uuid()::text, 'alarm', now() + interval '1 hour' from generate_series(1, 25)`,
      )
      return () => sql(scene, `delete from storage.analysis where uid = 'alarm'`)
    },
  },
  {
    alerts: ['PreludePaymentsUncredited'],
    how: 'somebody pays while credits is stopped',
    provoke: async (scene) => {
      const { start, end } = stopped('credits')
      const person = await someone(scene)
      await start(scene)
      await buyCredits(person, 25)
      return async () => {
        await end(scene)
        await balanceIs(person, 25)
      }
    },
  },
  {
    alerts: ['PreludePaymentSuspicious'],
    how: 'a checkout is paid with another amount than the payment has',
    provoke: async (scene) => {
      const person = await someone(scene)
      const { body } = await pay(scene, person)
      await sql(
        scene,
        `update payments.payment set amount_cents = amount_cents + 100 where id = '${body.id}'`,
      )
      await press(body, 'pay')
      return () => balanceIs(person, 0)
    },
  },
  {
    alerts: ['PreludeWebhooksRefused'],
    how: 'webhooks arrive with a wrong signature',
    provoke: async (scene) => {
      for (let n = 0; n < 12; n++) {
        await ask(scene, null, 'POST', '/api/webhooks/stripe', { json: { id: `evt_${n}` } })
        await delay(1_000)
      }
      return () => {}
    },
  },
  {
    alerts: ['PreludeTransfersWait'],
    how: 'a transfer from Nigeria was announced two hours ago',
    provoke: async (scene) => {
      const [person, operator] = [await someone(scene), await unlockedOperator(scene)]
      const nigeria = { 'x-country': 'NG' }
      const { status, body } = await person.post<{ id: string }>('/api/payments/naira-transfers', {}, nigeria)
      must(status === 201, `announcing it answers ${status}`)
      await sql(
        scene,
        `update payments.payment set created_at = created_at - 7200000 where id = '${body.id}'`,
      )
      return () => operator.post(`/api/operator/transfers/${body.id}/reject`, { reason: 'No such transfer.' })
    },
  },
  {
    alerts: ['PreludeMailQueueOld', 'PreludeMailsFailed', 'PreludeDependencyDown', 'PreludeCallsFailing'],
    how: 'the mail server is stopped; a mail has reached the end of its retries, another is 20 minutes old, four more are due',
    provoke: async (scene) => {
      const { start, end } = stopped('mailbox')
      await start(scene)
      await unsentMail(scene, 'give_up_at = 0, next_at = 0')
      await unsentMail(scene, 'created_at = created_at - 1200000')
      for (const person of await people(scene, 4)) await buyCredits(person, 25)
      return async () => {
        await end(scene)
        const again = `state = 'pending', next_at = 0, give_up_at = 9e12`
        await sql(scene, `update notifier.message set ${again} where state = 'failed'`)
      }
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
      return () =>
        sql(scene, `delete from notifier.push_subscription where endpoint like 'https://push.example/%'`)
    },
  },
  {
    alerts: ['PreludeSignInsFailing'],
    how: 'the gateways do not reach the identity provider, and people try to sign in',
    provoke: async (scene) => {
      const gateways = await containersOf(scene, 'gateway')
      const repairs = await Promise.all(gateways.map((one) => disconnect(scene, one, 'outside')))
      for (let n = 0; n < 25; n++) {
        await signIn(scene, { email: `nobody-${n}@example.test` }).catch(() => {})
        await delay(500)
      }
      return () => Promise.all(repairs.map((repair) => repair()))
    },
  },
]
