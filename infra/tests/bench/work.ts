import type { Baseline } from './baseline/start.ts'
import type { BenchProduct } from './product.ts'

/** One line of the report: the measurement, beside the baseline of the same run where there is one. */
export interface Row {
  readonly work: string
  readonly product: string
  readonly baseline?: string
  /** Product divided by baseline, the median of the rounds; above 1 is better than the baseline. */
  readonly ratio?: number
  /** Empty: none. */
  readonly goal: string
  readonly met: boolean
}

export interface Bench {
  readonly product: BenchProduct
  readonly baseline: Baseline
}

/** One benchmark. All share one product and one baseline server; none removes its data. */
export interface Work {
  readonly name: string
  readonly run: (bench: Bench) => Promise<Row[]>
}

export const ROUNDS = 3

export const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ??
  Number.NaN

export const median = (numbers: readonly number[]): number => percentile(numbers, 0.5)

/** Alternates between baseline and product, so that other load of the machine hits both. Answers the round with the median ratio. */
export async function inTurn<O extends { perSecond: number }>(works: {
  product: () => Promise<O>
  baseline: () => Promise<{ perSecond: number }>
  rounds?: number
}): Promise<{ product: O; baseline: number; ratio: number }> {
  const rounds: { product: O; baseline: number; ratio: number }[] = []
  for (let round = 0; round < (works.rounds ?? ROUNDS); round++) {
    const baseline = (await works.baseline()).perSecond
    const product = await works.product()
    rounds.push({ product, baseline, ratio: product.perSecond / baseline })
  }
  const ratio = median(rounds.map((round) => round.ratio))
  const middle = rounds.find((round) => round.ratio === ratio) ?? rounds[0]
  if (!middle) throw new Error('no round was run')
  return middle
}

export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`
export const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`

/** A row of values, each with the most that it may be; null: no goal. */
export function atMost(
  work: string,
  format: (value: number) => string,
  values: Readonly<Record<string, readonly [value: number, limit: number | null]>>,
): Row {
  const all = Object.entries(values)
  const listed = (of: readonly (readonly [string, string])[]): string =>
    of.map(([name, text]) => `${name} ${text}`.trim()).join(', ')
  const limits = all.flatMap(([name, [, limit]]) => (limit === null ? [] : [[name, limit] as const]))
  return {
    work,
    product: listed(all.map(([name, [value]]) => [name, format(value)])),
    goal: listed(limits.map(([name, limit]) => [name, `≤ ${format(limit)}`])),
    met: all.every(([, [value, limit]]) => limit === null || value <= limit),
  }
}

/** A row of a rate beside the baseline's. */
export const besideBaseline = (
  work: string,
  { product, baseline, ratio }: { product: { perSecond: number }; baseline: number; ratio: number },
  goal: number,
  format = perSecond,
): Row => ({
  work,
  product: format(product.perSecond),
  baseline: format(baseline),
  ratio,
  goal: `≥ ${goal}`,
  met: ratio >= goal,
})
