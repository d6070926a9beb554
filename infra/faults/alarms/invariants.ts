import { instancesOf, someone } from '../scene.ts'
import { sql } from './acts.ts'
import type { Alarm } from './alarm.ts'

/** The first look of a part comes ten minutes after its start, the next after something was broken five minutes later. */
const SEEN_WITHIN_MS = 13 * 60_000

let uid = ''

export const INVARIANTS: readonly Alarm[] = [
  {
    alerts: ['PreludeInvariantBroken'],
    how: 'somebody with the password of the database writes a balance into the ledger',
    withinMs: SEEN_WITHIN_MS,
    provoke: async (witness) => {
      ;({ uid } = await someone(witness, 30))
      await sql(witness, `update credits.account set balance_cents = 99900 where uid = '${uid}'`)
      instancesOf(witness, 'credits')[0]!.program.crash()
    },
    repair: (witness) =>
      sql(
        witness,
        `update credits.account set balance_cents =
           (select sum(amount_cents) from credits.entry where account = 'person:' || uid) where uid = '${uid}'`,
      ),
  },
]
