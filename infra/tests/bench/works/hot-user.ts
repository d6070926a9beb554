import { besideBaseline, type Work } from '../work.ts'
import { submitsInTurn } from './submit.ts'

const SECONDS = 5

/** Songs of one person on 32 connections, accepted and charged: every request locks the same account. */
export const hotUser: Work = {
  name: 'hot-user',
  run: async (bench) => {
    const measured = await submitsInTurn(bench, await bench.product.people(1, 500_000), SECONDS)
    return [besideBaseline('submit, accepted and charged, one hot user', measured, 0.9)]
  },
}
