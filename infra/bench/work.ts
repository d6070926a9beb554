import type { Bare } from './bare/start.ts'
import type { Ours } from './product.ts'

/** One line of the report: what was measured, beside the floor of the same run where there is one. */
export interface Row {
  readonly work: string
  readonly ours: string
  readonly bare?: string
  /** Ours by bare, the median of the rounds; above 1 is better than the floor. */
  readonly ratio?: number
  readonly goal: string
  readonly met: boolean
}

export interface Bench {
  readonly ours: Ours
  readonly bare: Bare
}

/** Works share one product and one reference; each leaves what it made, as use does. */
export interface Work {
  readonly name: string
  readonly run: (bench: Bench) => Promise<Row[]>
}

const ROUNDS = 3

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** The same work on both in turn, so that what the machine does besides hits both: the median of each and of the ratios. */
export async function inTurn<O extends { perSecond: number }>(works: {
  ours: () => Promise<O>
  bare: () => Promise<{ perSecond: number }>
}): Promise<{ ours: O; bare: number; ratio: number }> {
  const rounds: { ours: O; bare: number; ratio: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const bare = (await works.bare()).perSecond
    const ours = await works.ours()
    rounds.push({ ours, bare, ratio: ours.perSecond / bare })
  }
  const ratio = median(rounds.map((round) => round.ratio))
  const middle = rounds.find((round) => round.ratio === ratio) ?? rounds[0]
  if (!middle) throw new Error('no round was run')
  return middle
}

export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`
export const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`
