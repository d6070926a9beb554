import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { keptSecrets } from '../../../embedded/secrets.ts'
import { auditUrlOf } from '../../../stack/stack.ts'
import { instancesOf, type Scene, someone } from '../scene.ts'
import { sql } from './acts.ts'
import type { Alarm } from './alarm.ts'

/** A service checks its invariants ten minutes after its start, and after a broken one again every five minutes. */
const SEEN_WITHIN_MS = 13 * 60_000

const ROOT = resolve(import.meta.dirname, '../../../..')

/** The comparison, now, as the CronJob of a cluster runs it. */
async function compareServices({ stack }: Scene): Promise<void> {
  const AUDIT_DATABASE_URL = auditUrlOf(stack.servers, await keptSecrets(stack.dataDir))
  execFileSync(process.execPath, ['infra/invariants/hourly.ts', '--once'], {
    cwd: ROOT,
    env: { ...process.env, AUDIT_DATABASE_URL },
  })
}

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
  {
    alerts: ['PreludeCrossCheckStale'],
    how: 'the last comparison of the services was four hours ago',
    provoke: async (scene) => {
      await compareServices(scene)
      await sql(scene, 'update notifier.cross_check set checked_at = checked_at - 4 * 3600000')
    },
    repair: compareServices,
  },
]
