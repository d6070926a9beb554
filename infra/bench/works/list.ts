import { runLoad } from '../load.ts'
import { inTurn, perSecond, type Work } from '../work.ts'

const LOAD = { connections: 32, seconds: 8 }
const SONGS = 50

/** The newest 50 songs of a person. */
export const list: Work = {
  name: 'list',
  run: async ({ ours, bare }) => {
    const people = await ours.people(LOAD.connections, 0)
    for (const person of people)
      for (let i = 0; i < SONGS; i++)
        await person.post('/api/songs', { lyrics: 'la '.repeat(100), style: `style ${i}` })
    await bare.db.query(
      `insert into song select gen_random_uuid(), uid, repeat('la ', 100), 'style ' || i, false, i
       from unnest($1::text[]) uid, generate_series(1, ${SONGS}) i`,
      [people.map(({ uid }) => uid)],
    )
    const measured = await inTurn({
      bare: () =>
        runLoad({
          ...LOAD,
          url: bare.url,
          callers: people.map(({ uid }) => ({ 'x-uid': uid })),
          calls: [{ method: 'GET', path: '/songs' }],
        }),
      ours: () =>
        runLoad({
          ...LOAD,
          url: ours.url,
          callers: people.map(({ cookie }) => ({ cookie })),
          calls: [{ method: 'GET', path: '/api/songs' }],
        }),
    })
    return [
      {
        work: `list of ${SONGS}`,
        ours: perSecond(measured.ours.perSecond),
        bare: perSecond(measured.bare),
        ratio: measured.ratio,
        goal: '≥ 0.75',
        met: measured.ratio >= 0.75,
      },
    ]
  },
}
