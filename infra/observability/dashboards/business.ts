import { ANY, quantiles, row, series, stat } from './panels.ts'

/** What people do, pay and wait for. */
export const business = [
  row('The last 24 hours'),
  stat('Sign-ins, a day', 'short', 'sum(increase(prelude_sign_ins_total{outcome="ok"}[1d]))'),
  stat('New users, a day', 'short', 'sum(increase(prelude_events_emitted_total{type="UserRegistered"}[1d]))'),
  stat(
    'Songs requested, a day',
    'short',
    'sum(increase(prelude_events_emitted_total{type="SongRequested"}[1d]))',
  ),
  stat(
    'Songs fulfilled, a day',
    'short',
    'sum(increase(prelude_events_emitted_total{type="SongFulfilled"}[1d]))',
  ),
  stat('Payments, a day', 'short', 'sum(increase(prelude_payments_succeeded_total[1d]))'),
  stat(
    'Credits bought, a day',
    'suffix:credits',
    'sum(increase(prelude_payments_credits_total{flow="paid"}[1d]))',
  ),
  row('Conversion'),
  stat(
    'Charged immediately, share of requests',
    'percentunit',
    'clamp_max(sum(increase(prelude_song_charges_total{outcome="charged"}[1d])) / (sum(increase(prelude_events_emitted_total{type="SongRequested"}[1d])) > 0), 1) or vector(0)',
    { w: 8 },
  ),
  stat(
    'Charged later, share of declined',
    'percentunit',
    'clamp_max(sum(increase(prelude_song_charges_total{outcome="charged_later"}[1d])) / (sum(increase(prelude_song_charges_total{outcome="declined"}[1d])) > 0), 1) or vector(0)',
    { w: 8 },
  ),
  stat(
    'Succeeded, share of payments started',
    'percentunit',
    'clamp_max(sum(increase(prelude_payments_succeeded_total[1d])) / (sum(increase(prelude_payments_started_total[1d])) > 0), 1) or vector(0)',
    { w: 8 },
  ),
  row('Fulfilment'),
  stat(
    'Late, share of songs fulfilled',
    'percentunit',
    'clamp_max(sum(increase(prelude_events_emitted_total{type="SongLate"}[1d])) / (sum(increase(prelude_events_emitted_total{type="SongFulfilled"}[1d])) > 0), 1) or vector(0)',
    { w: 8 },
  ),
  stat(
    'Changes asked for, share of songs fulfilled',
    'percentunit',
    'clamp_max(sum(increase(prelude_events_emitted_total{type="ChangesAsked"}[1d])) / (sum(increase(prelude_events_emitted_total{type="SongFulfilled"}[1d])) > 0), 1) or vector(0)',
    { w: 8 },
  ),
  stat(
    'Cancelled or declined, share of requests',
    'percentunit',
    'clamp_max(sum(increase(prelude_events_emitted_total{type="SongClosed"}[1d])) / (sum(increase(prelude_events_emitted_total{type="SongRequested"}[1d])) > 0), 1) or vector(0)',
    { w: 8 },
  ),
  series(
    'Charge outcomes, an hour',
    'short',
    { '{{outcome}}': 'round(sum by (outcome) (increase(prelude_song_charges_total[1h])))' },
    { softMax: 1, colors: ['red'] },
  ),
  series(
    'Time to fulfil, within 7 days',
    's',
    quantiles('increase(prelude_song_fulfilment_duration_seconds_bucket[7d])', 0.5, 0.9),
    { colors: ['green', 'yellow'] },
  ),
  series(
    'Share of the promised time used, within 7 days',
    'percentunit',
    quantiles('increase(prelude_song_promise_used_ratio_bucket[7d])', 0.5, 0.9),
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
  stat('Suspicious, a day', 'short', 'sum(increase(prelude_payments_suspicious_total[1d]))', {
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
