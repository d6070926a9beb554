import type pg from 'pg'
import { creditsInvariants } from '@prelude/credits'
import { paymentsInvariants } from '@prelude/payments'
import { type Invariant, timeIn, withOwnerConnection } from '@prelude/platform'
import { songsInvariants } from '@prelude/songs'
import { storageInvariants } from '@prelude/storage'
import { crossInvariants } from './cross.ts'
import { eventInvariants } from './events.ts'

export interface Finding {
  readonly name: string
  /** How much was looked at. */
  readonly count: number
  readonly breaches: number
  readonly sample: unknown
}

const BY_SCHEMA: readonly [schema: string, invariants: readonly Invariant[]][] = [
  ['credits', creditsInvariants],
  ['payments', paymentsInvariants],
  ['songs', songsInvariants],
  ['storage', storageInvariants],
  ...['gateway', 'credits', 'payments', 'songs', 'storage', 'notifier'].map(
    (schema): [string, readonly Invariant[]] => [schema, eventInvariants(schema)],
  ),
]

/**
 * All invariants in one repeatable-read snapshot, as the database's owner. Those that compare services leave out people
 * who still have events under way, so that a running product can be checked.
 */
export const checkInvariants = (adminUrl: string, now: number): Promise<Finding[]> =>
  withOwnerConnection(adminUrl, async (client) => {
    await client.query('begin transaction isolation level repeatable read read only')
    const findings: Finding[] = []
    const check = async (invariants: readonly Invariant[], schema?: string): Promise<void> => {
      const counts = new Map<string, number>()
      for (const { name, of, sql } of invariants) {
        const count = counts.get(of) ?? (await countOf(client, of))
        counts.set(of, count)
        const { rows } = await client.query<Record<string, unknown>>(sql, timeIn(sql, now))
        findings.push({
          name: schema === undefined ? name : `${schema}: ${name}`,
          count,
          breaches: rows.length,
          sample: rows[0],
        })
      }
    }
    for (const [schema, invariants] of BY_SCHEMA) {
      await client.query(`set local search_path to ${schema}`)
      await check(invariants, schema)
    }
    await check(crossInvariants)
    await client.query('commit')
    return findings
  })

async function countOf(client: pg.Client, of: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*) from ${of}`)
  return rows[0]?.count ?? 0
}
