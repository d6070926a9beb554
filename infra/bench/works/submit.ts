import { runLoad } from '../load.ts'
import { type Bench, inTurn, ms, perSecond, type Work } from '../work.ts'

const CONNECTIONS = 32
const SECONDS = 8
const SUSTAINED_SECONDS = 60
/** A crowd's first seconds are for accepting; what waits is compared after they are over. */
const EARLY_SECONDS = 20
const RICH = 500_000

export const SUBMIT = {
  method: 'POST',
  path: '/api/songs',
  body: JSON.stringify({ lyrics: 'la '.repeat(100), style: 'slow soul, warm voice, upright bass' }),
} as const

/** Of the last hour, by its index: counting a million that were seeded would cost more than what is measured. */
const UNDECIDED = `from songs.song
  where charge = 'deciding' and created_at > (extract(epoch from now())::bigint - 3600) * 1000`

const undecided = async ({ ours }: Bench): Promise<number> => {
  const { rows } = await ours.db.query<{ many: number }>(`select count(*)::int as many ${UNDECIDED}`)
  return rows[0]?.many ?? 0
}

/** Requests by 32 people at once, as fast as they are answered; and how many a second from the first until all are charged. */
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
        const began = performance.now()
        const result = await runLoad({ ...load, url: ours.url, callers, calls: [SUBMIT] })
        await drained(bench)
        return { ...result, charged: (result.requests * 1_000) / (performance.now() - began) }
      },
    })
    const { ratio, ours: result } = measured
    const sustained = await sustain(bench, callers, result.charged * 0.95)
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
  // the newest is decided last: while there is one it is found at once
  const newest = `select 1 ${UNDECIDED} order by created_at desc limit 1`
  while ((await bench.ours.db.query(newest)).rowCount === 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

/** A steady rate for a minute, and what waits undecided early and at the end. */
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
  await new Promise((resolve) => setTimeout(resolve, EARLY_SECONDS * 1_000))
  const early = await undecided(bench)
  const result = await running
  const late = await undecided(bench)
  await drained(bench)
  return { rate: result.perSecond, early, late }
}
