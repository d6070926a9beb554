import { runLoad } from '../load.ts'
import { type Bench, inTurn, ms, perSecond, type Work } from '../work.ts'

const CONNECTIONS = 32
const SECONDS = 8
const SUSTAINED_SECONDS = 60
const RICH = 500_000

export const SUBMIT = {
  method: 'POST',
  path: '/api/songs',
  body: JSON.stringify({ lyrics: 'la '.repeat(100), style: 'slow soul, warm voice, upright bass' }),
} as const

/** Of the last hour, by its index: counting a million that were seeded would cost more than what is measured. */
const songs = async ({ ours }: Bench, charge: string): Promise<number> => {
  const sql = `select count(*)::int as many from songs.song
    where charge = any($1) and created_at > (extract(epoch from now())::bigint - 3600) * 1000`
  const { rows } = await ours.db.query<{ many: number }>(sql, [charge.split(' ')])
  return rows[0]?.many ?? 0
}

/** Requests by 32 people at once, as fast as they are answered; and how many of them are charged when the load ends. */
export const submit: Work = {
  name: 'submit',
  run: async (bench) => {
    const { ours, bare } = bench
    const people = await ours.people(CONNECTIONS, RICH)
    const callers = people.map(({ cookie }) => ({ cookie }))
    const bareCallers = people.map(({ uid }) => ({ 'x-uid': uid }))
    await bare.db.query('insert into account select unnest($1::text[]), 1000000000000', [
      people.map(({ uid }) => uid),
    ])
    const load = { connections: CONNECTIONS, seconds: SECONDS }
    const measured = await inTurn({
      bare: () =>
        runLoad({ ...load, url: bare.url, callers: bareCallers, calls: [{ ...SUBMIT, path: '/songs' }] }),
      ours: async () => {
        const before = await songs(bench, 'charged')
        const result = await runLoad({ ...load, url: ours.url, callers, calls: [SUBMIT] })
        const charged = ((await songs(bench, 'charged')) - before) / SECONDS
        await drained(bench)
        return { ...result, charged }
      },
    })
    const { ratio, ours: result } = measured
    const sustained = await sustain(bench, callers, Math.min(result.charged, result.perSecond) * 0.9)
    return [
      {
        work: 'submit, accepted',
        ours: `${perSecond(result.perSecond)}, p99 ${ms(result.p99Ms)}`,
        bare: perSecond(measured.bare),
        ratio,
        goal: '≥ 0.55, p99 ≤ 25 ms',
        met: ratio >= 0.55 && result.p99Ms <= 25,
      },
      {
        work: `submit, accepted and charged, ${SUSTAINED_SECONDS} s`,
        ours: `${perSecond(sustained.rate)}, backlog ${sustained.early} → ${sustained.late}`,
        bare: perSecond(measured.bare),
        ratio: sustained.rate / measured.bare,
        goal: '≥ 0.35, backlog not growing',
        met: sustained.rate / measured.bare >= 0.35 && sustained.late <= sustained.early + sustained.rate,
      },
    ]
  },
}

/** Waits until every accepted request is decided, so that one round's rest is not the next one's load. */
export async function drained(bench: Bench): Promise<void> {
  while ((await songs(bench, 'deciding')) > 0) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** A steady rate for a minute, and what waits undecided after ten seconds and at the end. */
async function sustain(
  bench: Bench,
  callers: readonly Record<string, string>[],
  rate: number,
): Promise<{ rate: number; early: number; late: number }> {
  const running = runLoad({
    url: bench.ours.url,
    connections: CONNECTIONS,
    seconds: SUSTAINED_SECONDS,
    perSecond: Math.floor(rate),
    callers,
    calls: [SUBMIT],
  })
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const early = await songs(bench, 'deciding')
  const result = await running
  const late = await songs(bench, 'deciding')
  await drained(bench)
  return { rate: result.perSecond, early, late }
}
