import { setTimeout as delay } from 'node:timers/promises'
import { buyCredits, type Person, signIn } from '../../system/person.ts'
import { fulfil } from '../fulfil.ts'
import { ask, instancesOf, must, someone, unlockedOperator, until, withDatabase } from '../scene.ts'
import { decided, sql, submit } from './acts.ts'
import type { Alarm, Witness } from './alarm.ts'

/** Songs, money and mails that wait. Where a rule waits for hours, a row is made that old. */

/** What a provocation leaves for its repair. */
const kept: { person?: Person; songId?: string; paymentId?: string } = {}

const RECEIPT_WITHIN_MS = 30_000

/** A receipt that the mail server does not take, changed by hand. */
async function unsentMail(witness: Witness, change: string): Promise<void> {
  await witness.stack.links.mail?.cut()
  await buyCredits(await someone(witness), 25)
  await withDatabase(witness, (query) =>
    until('its receipt', RECEIPT_WITHIN_MS, async () => {
      const changed = `update notifier.message set ${change} where state in ('pending', 'sending') returning id`
      return (await query(changed)).length > 0 ? null : 'no mail is due'
    }),
  )
}

export const WORK: readonly Alarm[] = [
  {
    alerts: ['PreludeSongsOverdue'],
    how: 'a paid song is three days old',
    provoke: async (witness) => {
      const person = await someone(witness, 30)
      const id = await submit(witness, person)
      await decided(witness, person, id)
      await sql(witness, `update songs.song set created_at = created_at - 3 * 86400000 where id = '${id}'`)
      kept.songId = id
    },
    repair: async (witness) => {
      const { status } = await fulfil(witness, await unlockedOperator(witness), kept.songId ?? '')
      must(status === 200, `fulfilling answers ${status}`)
    },
  },
  {
    alerts: ['PreludeAnalysesWait'],
    how: 'the audio of 25 songs waits to be analysed',
    provoke: (witness) =>
      sql(
        witness,
        `insert into storage.analysis (song_id, uid, due_at)
         select gen_random_uuid()::text, 'alarm', now() + interval '1 hour' from generate_series(1, 25)`,
      ),
    repair: (witness) => sql(witness, `delete from storage.analysis where uid = 'alarm'`),
  },
  {
    alerts: ['PreludePaymentsUncredited', 'PreludeServiceDown'],
    how: 'somebody pays while credits is stopped',
    provoke: async (witness) => {
      const person = await someone(witness)
      await instancesOf(witness, 'credits')[0]?.program.stop()
      kept.paymentId = await buyCredits(person, 25)
      kept.person = person
      await delay(1_000)
      const { body } = await ask<{ status: string }>(
        witness,
        person,
        'GET',
        `/api/payments/${kept.paymentId}`,
      )
      witness.note(`the payment is ${body.status}`)
    },
    repair: (witness) => instancesOf(witness, 'credits')[0]?.program.start(),
  },
  {
    alerts: ['PreludePaymentSuspicious'],
    how: 'a checkout is paid with another amount than was agreed',
    provoke: async (witness) => {
      const person = await someone(witness)
      const { body } = await person.post<{ url: string; id: string }>('/api/payments', { amount: 25 })
      await sql(
        witness,
        `update payments.payment set amount_cents = amount_cents + 100 where id = '${body.id}'`,
      )
      const page = await (await fetch(body.url)).text()
      const action = new URL(/<form[^>]*action="([^"]+)"/.exec(page)?.[1] ?? body.url, body.url)
      const form = new URLSearchParams({ outcome: 'pay' })
      await fetch(action, { method: 'POST', body: form, redirect: 'manual' })
      await delay(2_000)
      const { body: credits } = await ask<{ balance: number }>(witness, person, 'GET', '/api/credits')
      witness.note(`the balance of this person is ${credits.balance}`)
    },
    repair: () => {},
  },
  {
    alerts: ['PreludeWebhooksRefused'],
    how: 'webhooks come with a wrong signature',
    provoke: async (witness) => {
      for (let n = 0; n < 12; n++) {
        const { status } = await ask(witness, null, 'POST', '/api/webhooks/stripe', {
          json: { id: `evt_${n}` },
        })
        if (n === 0) witness.note(`such a webhook is answered ${status}`)
        await delay(1_000)
      }
    },
    repair: () => {},
  },
  {
    alerts: ['PreludeTransfersWait'],
    how: 'somebody in Nigeria said two hours ago that they made a transfer',
    provoke: async (witness) => {
      const person = await someone(witness)
      const { status, body } = await person.post<{ id: string }>(
        '/api/payments/naira-transfers',
        {},
        { 'x-country': 'NG' },
      )
      must(status === 201, `it answers ${status}`)
      kept.paymentId = body.id
      await sql(
        witness,
        `update payments.payment set created_at = created_at - 7200000 where id = '${body.id}'`,
      )
    },
    repair: async (witness) => {
      const operator = await unlockedOperator(witness)
      const path = `/api/operator/transfers/${kept.paymentId}/reject`
      const { status } = await operator.post(path, { reason: 'No such transfer.' })
      witness.note(`the operator rejects it: ${status}`)
    },
  },
  {
    alerts: ['PreludeMailQueueOld', 'PreludeDependencyDown', 'PreludeCallsFailing'],
    how: 'the mail server refuses connections, and a mail is 20 minutes old',
    provoke: async (witness) => {
      await unsentMail(witness, 'created_at = created_at - 1200000')
    },
    repair: ({ stack }) => stack.links.mail?.heal(),
  },
  {
    alerts: ['PreludeMailsFailed'],
    how: 'a mail could not be sent for as long as is tried',
    provoke: async (witness) => {
      await unsentMail(witness, 'give_up_at = 0, next_at = 0')
    },
    repair: async (witness) => {
      await witness.stack.links.mail?.heal()
      await sql(
        witness,
        `update notifier.message set state = 'pending', next_at = 0, give_up_at = 9e12 where state = 'failed'`,
      )
    },
  },
  {
    alerts: ['PreludeSignInsFailing'],
    how: 'the gateway does not reach the identity provider, and people try to sign in',
    provoke: async (witness) => {
      await witness.stack.links.identity?.cut()
      for (let n = 0; n < 25; n++) {
        const problem = await signIn(witness.stack, { email: `nobody-${n}@example.test` }).then(
          () => 'signed in',
          (error: Error) => error.message,
        )
        if (n === 0) witness.note(problem)
        await delay(500)
      }
    },
    repair: ({ stack }) => stack.links.identity?.heal(),
  },
]
