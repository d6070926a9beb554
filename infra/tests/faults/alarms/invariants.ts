import { instancesOf, someone } from '../scene.ts'
import { sql } from './acts.ts'
import type { Alarm } from './alarm.ts'

/** A service checks its invariants ten minutes after its start, and after a broken one again every five minutes. */
const SEEN_WITHIN_MS = 13 * 60_000

let uid = ''

export const INVARIANTS: readonly Alarm[] = [
  {
    alerts: ['PreludeInvariantBroken'],
    how: "the database's owner writes a balance into the ledger by hand",
    withinMs: SEEN_WITHIN_MS,
    provoke: async (scene) => {
      ;({ uid } = await someone(scene, 30))
      await sql(scene, `update credits.account set balance_cents = 99900 where uid = '${uid}'`)
      instancesOf(scene, 'credits')[0]!.program.crash()
    },
    repair: (scene) =>
      sql(
        scene,
        `update credits.account set balance_cents =
           (select sum(amount_cents) from credits.entry where account = 'person:' || uid) where uid = '${uid}'`,
      ),
  },
]
