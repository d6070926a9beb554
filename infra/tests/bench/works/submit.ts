import { runLoad } from '../load.ts'
import type { BenchProduct } from '../product.ts'
import { type Bench, inTurn, perSecond, type Work } from '../work.ts'

const CONNECTIONS = 32
const SECONDS = 8
const SUSTAINED_SECONDS = 60
/** The backlog at the end is compared with the one after this time, when the process is warm. */
const EARLY_SECONDS = 20
const RICH = 200_000

export const SUBMIT = {
  method: 'POST',
  path: '/api/songs',
  body: JSON.stringify({ lyrics: 'la '.repeat(100), style: 'slow soul, warm voice, upright bass' }),
} as const

/** Of the last hour, by its index. */
const UNDECIDED = `from songs.song
  where charge = 'deciding' and created_at > (extract(epoch from now())::bigint - 3600) * 1000`

const backlog = async ({ product }: Bench): Promise<number> => {
  const { rows } = await product.db.query<{ many: number }>(`select count(*)::int as many ${UNDECIDED}`)
  return rows[0]?.many ?? 0
}

/**
 * Songs accepted and charged on 32 connections. Short closed-loop runs find the rate at which songs are charged; 95 % of
 * that is then held for a minute.
 */
export const submit: Work = {
  name: 'submit',
  run: async (bench) => {
    const people = await bench.product.people(CONNECTIONS, RICH)
    const { product, baseline } = bench
    const uids = people.map(({ uid }) => uid)
    await baseline.db.query('insert into account select unnest($1::text[]), 1000000000000', [uids])
    const callers = people.map(({ cookie }) => ({ cookie }))
    const load = { connections: CONNECTIONS, seconds: SECONDS }
    const measured = await inTurn({
      baseline: () =>
        runLoad({
          ...load,
          url: baseline.url,
          callers: uids.map((uid) => ({ 'x-uid': uid })),
          calls: [{ ...SUBMIT, path: '/songs' }],
        }),
      product: () =>
        chargedRate(bench, () => runLoad({ ...load, url: product.url, callers, calls: [SUBMIT] })),
    })
    const sustained = await sustain(bench, callers, measured.product.perSecond * 0.95)
    const ratio = sustained.rate / measured.baseline
    return [
      {
        work: `submit, accepted and charged, ${SUSTAINED_SECONDS} s`,
        product: `${perSecond(sustained.rate)}, backlog ${sustained.early} → ${sustained.late}`,
        baseline: perSecond(measured.baseline),
        ratio,
        goal: '≥ 0.34, backlog not growing',
        met: ratio >= 0.34 && sustained.late <= sustained.early + sustained.rate,
      },
    ]
  },
}

interface Queried {
  readonly product: Pick<BenchProduct, 'db'>
}

/** Songs charged a second: from the first request until the last song is charged. */
export async function chargedRate(
  bench: Queried,
  load: () => Promise<{ requests: number }>,
): Promise<{ songs: number; perSecond: number }> {
  const began = performance.now()
  const { requests } = await load()
  await drained(bench)
  return { songs: requests, perSecond: (requests * 1_000) / (performance.now() - began) }
}

/** Waits until the backlog is empty, so that one round's backlog is not the next one's load. */
export async function drained({ product }: Queried): Promise<void> {
  // the newest song is decided last: while there is a backlog, the index finds one at once
  const newest = `select 1 ${UNDECIDED} order by created_at desc limit 1`
  while ((await product.db.query(newest)).rowCount === 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

/** A steady rate for a minute, and the backlog early and at the end. */
async function sustain(
  bench: Bench,
  callers: readonly Record<string, string>[],
  rate: number,
): Promise<{ rate: number; early: number; late: number }> {
  const running = runLoad({
    url: bench.product.url,
    connections: CONNECTIONS,
    seconds: SUSTAINED_SECONDS,
    perSecond: Math.floor(rate),
    callers,
    calls: [SUBMIT],
  })
  await new Promise((resolve) => setTimeout(resolve, EARLY_SECONDS * 1_000))
  const early = await backlog(bench)
  const result = await running
  const late = await backlog(bench)
  await drained(bench)
  return { rate: result.perSecond, early, late }
}
