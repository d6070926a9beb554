import { runLoad } from '../load.ts'
import type { Ours } from '../product.ts'
import { inTurn, perSecond, type Work } from '../work.ts'

const LOAD = { connections: 32, seconds: 8 }
const SONGS = 50

/** The newest 50 songs of a person. */
export const list: Work = {
  name: 'list',
  run: async ({ ours, bare }) => {
    const people = await ours.people(LOAD.connections, 0)
    const uids = people.map(({ uid }) => uid)
    await seed(ours, uids)
    await bare.db.query(
      `insert into song select gen_random_uuid(), uid, repeat('la ', 100), 'style ' || i, false, i
       from unnest($1::text[]) uid, generate_series(1, ${SONGS}) i`,
      [uids],
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

/** Songs that wait for credits: asked for one by one, they would be followed by half a minute of mails. */
async function seed({ db }: Ours, uids: readonly string[]): Promise<void> {
  await db.query(
    `insert into songs.song (id, uid, username, email, lyrics, style, charge, revision, created_at)
     select uuidv7(), uid, 'Bench', 'bench@prelude.test', repeat('la ', 100), 'style ' || i, 'declined', 2,
       extract(epoch from now())::bigint * 1000 + i
     from unnest($1::text[]) uid, generate_series(1, ${SONGS}) i`,
    [uids],
  )
  await db.query(
    `insert into credits.waiting_song (song_id, uid, requested_at)
     select id, uid, now() from songs.song where uid = any($1::text[])`,
    [uids],
  )
}
