import { runLoad } from '../load.ts'
import { inTurn, perSecond, type Work } from '../work.ts'
import { drained, SUBMIT } from './submit.ts'

const LOAD = { connections: 32, seconds: 5 }

/** One person on 32 connections: every request wants the same account. */
export const hotUser: Work = {
  name: 'hot-user',
  run: async (bench) => {
    const { ours, bare } = bench
    const [person] = await ours.people(1, 500_000)
    if (!person) throw new Error('nobody signed in')
    await bare.db.query('insert into account values ($1, 1000000000000)', [person.uid])
    const measured = await inTurn({
      bare: () =>
        runLoad({
          ...LOAD,
          url: bare.url,
          callers: [{ 'x-uid': person.uid }],
          calls: [{ ...SUBMIT, path: '/songs' }],
        }),
      ours: async () => {
        const result = await runLoad({
          ...LOAD,
          url: ours.url,
          callers: [{ cookie: person.cookie }],
          calls: [SUBMIT],
        })
        await drained(bench)
        return result
      },
    })
    return [
      {
        work: 'submit, one hot user',
        ours: perSecond(measured.ours.perSecond),
        bare: perSecond(measured.bare),
        ratio: measured.ratio,
        goal: '≥ 0.9',
        met: measured.ratio >= 0.9,
      },
    ]
  },
}
