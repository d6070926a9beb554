import {
  CreditsAdded,
  CreditsCharged,
  CreditsDeclined,
  CreditsRefunded,
  CreditsTaken,
} from '@prelude/contracts'
import { counter, type Database, gauge, type Measures } from '@prelude/platform'

/** Credits in and out, in credits. Reasons are those of the statement. */
export function creditsMeasures(db: Database): Measures {
  const added = counter(
    'prelude_credits_added_total',
    'Credits that people were given, by reason.',
    ['reason'],
    ['top_up', 'transfer', 'adjustment', 'refund'].map((reason) => ({ reason })),
  )
  const taken = counter(
    'prelude_credits_taken_total',
    'Credits that were taken from people, by reason.',
    ['reason'],
    ['song', 'adjustment', 'payment_reversed'].map((reason) => ({ reason })),
  )
  const charges = counter(
    'prelude_song_charges_total',
    'Answers to song requests, by outcome (charged, charged_later, declined, refunded).',
    ['outcome'],
    ['charged', 'charged_later', 'declined', 'refunded'].map((outcome) => ({ outcome })),
  )
  const waiting = gauge('prelude_songs_waiting_for_credits', 'Songs that wait for credits.')
  const owed = gauge('prelude_credits_owed', 'Credits that people owe.')

  return {
    metrics: [added, taken, charges, waiting, owed],
    emitted: (type, data) => {
      const credits = Number(data['amount']) / 100
      if (type === CreditsAdded.type) added.inc({ reason: String(data['reason']) }, credits)
      else if (type === CreditsTaken.type) taken.inc({ reason: String(data['reason']) }, credits)
      else if (type === CreditsCharged.type) {
        taken.inc({ reason: 'song' }, credits)
        charges.inc({ outcome: data['waited'] === true ? 'charged_later' : 'charged' })
      } else if (type === CreditsRefunded.type) {
        added.inc({ reason: 'refund' }, credits)
        charges.inc({ outcome: 'refunded' })
      } else if (type === CreditsDeclined.type) charges.inc({ outcome: 'declined' })
    },
    read: async () => {
      const { rows } = await db.query<{ waiting: number; owed: number }>(
        `select (select count(*) from waiting_song where closed_at is null) as waiting,
                (select coalesce(sum(debt_cents), 0) / 100.0 from account where debt_cents > 0) as owed`,
      )
      waiting.set(rows[0]?.waiting ?? 0)
      owed.set(rows[0]?.owed ?? 0)
    },
  }
}
