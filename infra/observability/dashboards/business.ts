import { ANY, emitted, quantiles, row, series, share, stat, sumOf } from './panels.ts'

const charges = (outcome: string): string => sumOf(`prelude_song_charges_total{outcome="${outcome}"}`)

/** What people do, pay and wait for. */
export const business = [
  row('The last 24 hours'),
  stat('Sign-ins, a day', 'short', sumOf('prelude_sign_ins_total{outcome="ok"}')),
  stat('New users, a day', 'short', emitted('UserRegistered')),
  stat('Songs requested, a day', 'short', emitted('SongRequested')),
  stat('Songs fulfilled, a day', 'short', emitted('SongFulfilled')),
  stat('Payments, a day', 'short', sumOf('prelude_payments_succeeded_total')),
  stat('Credits bought, a day', 'suffix:credits', sumOf('prelude_payments_credits_total{flow="paid"}')),
  row('Conversion'),
  share('Charged immediately, share of requests', charges('charged'), emitted('SongRequested')),
  share('Charged later, share of declined', charges('charged_later'), charges('declined')),
  share(
    'Succeeded, share of payments started',
    sumOf('prelude_payments_succeeded_total'),
    sumOf('prelude_payments_started_total'),
  ),
  row('Fulfilment'),
  share('Late, share of songs fulfilled', emitted('SongLate'), emitted('SongFulfilled')),
  share('Changes asked for, share of songs fulfilled', emitted('ChangesAsked'), emitted('SongFulfilled')),
  share('Cancelled or declined, share of requests', emitted('SongClosed'), emitted('SongRequested')),
  series(
    'Charge outcomes, an hour',
    'short',
    { '{{outcome}}': 'round(sum by (outcome) (increase(prelude_song_charges_total[1h])))' },
    { softMax: 1, colors: ['red'] },
  ),
  series(
    'Time to fulfil, within 7 days',
    's',
    quantiles('increase(prelude_song_fulfilment_duration_seconds_bucket[7d])', [0.5, 0.9]),
    { colors: ['green', 'yellow'] },
  ),
  series(
    'Share of the promised time used, within 7 days',
    'percentunit',
    quantiles('increase(prelude_song_promise_used_ratio_bucket[7d])', [0.5, 0.9]),
    { softMax: 1, colors: ['green', 'yellow'] },
  ),
  series(
    'Pending songs, by charge',
    'short',
    { '{{charge}}': 'max by (charge) (prelude_songs_pending)' },
    { w: 12, softMax: 1 },
  ),
  series(
    'Oldest pending song, by charge, and latest promise',
    's',
    {
      '{{charge}}': 'max by (charge) (prelude_songs_pending_age_seconds)',
      'later than promised': 'max(prelude_songs_overdue_seconds)',
    },
    { w: 12 },
  ),
  row('Credits'),
  stat('Credits owed', 'suffix:credits', 'max(prelude_credits_owed)', { w: 12 }),
  stat('Songs waiting for credits', 'short', 'max(prelude_songs_waiting_for_credits)', { w: 12 }),
  series(
    'Credits in, a day',
    'suffix:credits',
    { '{{reason}}': 'round(sum by (reason) (increase(prelude_credits_added_total[1d])))' },
    { softMax: 1 },
  ),
  series(
    'Credits out, a day',
    'suffix:credits',
    { '{{reason}}': 'round(sum by (reason) (increase(prelude_credits_taken_total[1d])))' },
    { softMax: 1 },
  ),
  series(
    'Credits paid and reversed, a day',
    'suffix:credits',
    { '{{flow}}': 'round(sum by (flow) (increase(prelude_payments_credits_total[1d])))' },
    { softMax: 1 },
  ),
  row('Payments'),
  stat('Suspicious, a day', 'short', sumOf('prelude_payments_suspicious_total'), {
    w: 8,
    red: ANY,
    alert: 'PreludePaymentSuspicious',
  }),
  stat('Transfers waiting', 'short', 'max(prelude_transfers_waiting)', { w: 8 }),
  stat('Oldest waiting transfer', 's', 'max(prelude_transfers_waiting_age_seconds)', {
    w: 8,
    red: 3600,
    alert: 'PreludeTransfersWait',
  }),
  series(
    'Webhooks, an hour',
    'short',
    {
      '{{provider}} {{outcome}}': 'round(sum by (provider, outcome) (increase(prelude_webhooks_total[1h])))',
    },
    { w: 24, softMax: 1, colors: ['red'] },
  ),
]
