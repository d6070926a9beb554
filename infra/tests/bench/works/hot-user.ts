import { runLoad } from '../load.ts'
import { besideBaseline, inTurn, type Work } from '../work.ts'
import { chargedRate, SUBMIT } from './submit.ts'

const LOAD = { connections: 32, seconds: 5 }

/** Songs of one person on 32 connections, accepted and charged: every request locks the same account. */
export const hotUser: Work = {
  name: 'hot-user',
  run: async (bench) => {
    const { product, baseline } = bench
    const [person] = await product.people(1, 500_000)
    if (!person) throw new Error('nobody signed in')
    const { uid, cookie } = person
    await baseline.db.query('insert into account values ($1, 1000000000000)', [uid])
    const measured = await inTurn({
      baseline: () =>
        runLoad({
          ...LOAD,
          url: baseline.url,
          callers: [{ 'x-uid': uid }],
          calls: [{ ...SUBMIT, path: '/songs' }],
        }),
      product: () =>
        chargedRate(bench, () =>
          runLoad({ ...LOAD, url: product.url, callers: [{ cookie }], calls: [SUBMIT] }),
        ),
    })
    return [besideBaseline('submit, accepted and charged, one hot user', measured, 0.9)]
  },
}
