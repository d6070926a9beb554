import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buyCredits, type Person, signIn } from '../../system/person.ts'
import { fulfil } from '../fulfil.ts'
import { ask, instancesOf, must, someone, unlockedOperator, until, withDatabase } from '../scene.ts'
import type { Alarm, Witness } from './alarm.ts'

/** Events, songs, money and mails that get stuck. Where a rule waits for hours, a row is made that old. */

const ROOT = resolve(import.meta.dirname, '../../..')
const PATIENCE_MS = 30_000

const sql = (witness: Witness, ...statements: string[]): Promise<void> =>
  withDatabase(witness, async (query) => {
    for (const statement of statements) await query(statement)
  })

const submit = async (witness: Witness, person: Person): Promise<string> => {
  const json = { lyrics: 'la', style: 'folk' }
  const { status, body } = await ask<{ id: string }>(witness, person, 'POST', '/api/songs', { json })
  must(status === 201, `a submit answers ${status}`)
  return body.id
}

const chargeOf = async (witness: Witness, person: Person, id: string): Promise<string> =>
  (await ask<{ charge: string }>(witness, person, 'GET', `/api/songs/${id}`)).body.charge

/** `make replay`, on these servers. */
function replay({ stack, note }: Witness): void {
  const env = { ...process.env, DATABASE_ADMIN_URL: stack.servers.adminUrl }
  const said = execFileSync(process.execPath, ['infra/embedded/replay.ts'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  })
  note(`make replay: ${said.trim().replaceAll('\n', ' / ')}`)
}

/** What a provocation leaves for its repair. */
const kept: { person?: Person; songId?: string; release?: () => void; paymentId?: string } = {}

export const WORK: readonly Alarm[] = [
  {
    alerts: ['PreludeOutboxBlocked'],
    how: 'the bus has refused an event of somebody, who submits another song',
    provoke: async (witness) => {
      const person = await someone(witness)
      await submit(witness, person)
      await delay(2_000)
      await sql(
        witness,
        `insert into songs.outbox_blocked (key, outbox_id, reason)
         select key, max(id), 'refused' from songs.outbox where key = '${person.uid}' group by key`,
      )
      const id = await submit(witness, person)
      await delay(2_000)
      witness.note(`the next song of this person is ${await chargeOf(witness, person, id)}`)
      Object.assign(kept, { person, songId: id })
    },
    repair: async (witness) => {
      replay(witness)
      const { person, songId } = kept as Required<typeof kept>
      const ms = await until('the answer', PATIENCE_MS, async () => {
        const charge = await chargeOf(witness, person, songId)
        return charge === 'deciding' ? charge : null
      })
      witness.note(`the song is decided ${Math.round(ms / 1000)} s later`)
    },
  },
  {
    alerts: ['PreludeDeadLetters'],
    how: 'credits cannot handle an event of somebody',
    provoke: async (witness) => {
      const person = await someone(witness)
      await submit(witness, person)
      await delay(2_000)
      await sql(
        witness,
        `update credits.inbox set parked = true where key = '${person.uid}' and topic = 'prelude.songs'`,
      )
      Object.assign(kept, { person, songId: await submit(witness, person) })
    },
    repair: replay,
  },
  {
    alerts: ['PreludeConsumerLagging', 'PreludeChargeUndecided'],
    how: 'a lock on the ledger holds credits up while 1,200 songs are submitted',
    provoke: async (witness) => {
      const people = await Promise.all(Array.from({ length: 4 }, () => someone(witness)))
      void withDatabase(witness, async (query) => {
        await query('begin')
        await query('lock table credits.account in exclusive mode')
        await new Promise<void>((release) => (kept.release = release))
        await query('rollback')
      })
      await delay(500)
      await Promise.all(
        people.flatMap((person) =>
          Array.from({ length: 4 }, async () => {
            for (let n = 0; n < 75; n++) await submit(witness, person)
          }),
        ),
      )
      await sql(witness, `update songs.song set created_at = created_at - 400000 where charge = 'deciding'`)
    },
    repair: () => kept.release?.(),
  },
  {
    alerts: ['PreludeSongsOverdue'],
    how: 'a paid song is three days old',
    provoke: async (witness) => {
      const person = await someone(witness, 30)
      const id = await submit(witness, person)
      await until('the charge', PATIENCE_MS, async () => {
        const charge = await chargeOf(witness, person, id)
        return charge === 'charged' ? null : charge
      })
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
    alerts: ['PreludePaymentsUncredited', 'PreludePartDown'],
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
      await witness.stack.links.mail?.cut()
      await buyCredits(await someone(witness), 25)
      await delay(2_000)
      await sql(
        witness,
        `update notifier.message set created_at = created_at - 1200000 where state in ('pending', 'sending')`,
      )
    },
    repair: ({ stack }) => stack.links.mail?.heal(),
  },
  {
    alerts: ['PreludeMailsFailed'],
    how: 'a mail could not be sent for as long as is tried',
    provoke: async (witness) => {
      await witness.stack.links.mail?.cut()
      await buyCredits(await someone(witness), 25)
      await delay(2_000)
      await sql(
        witness,
        `update notifier.message set give_up_at = 0, next_at = 0 where state in ('pending', 'sending')`,
      )
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
