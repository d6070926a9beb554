import pg from 'pg'
import { creditsInvariants } from '@prelude/credits'
import { paymentsInvariants } from '@prelude/payments'
import { songsInvariants } from '@prelude/songs'
import { storageInvariants } from '@prelude/storage'
import { crossInvariants } from './cross.ts'
import { eventInvariants } from './events.ts'

/** A sentence that must hold, and the query whose rows are its breaches. */
export interface Invariant {
  readonly name: string
  readonly sql: string
}

export interface Finding {
  readonly name: string
  readonly breaches: number
  readonly sample: unknown
}

const BY_SCHEMA: readonly [schema: string, invariants: readonly Invariant[]][] = [
  ['credits', creditsInvariants],
  ['payments', paymentsInvariants],
  ['songs', songsInvariants],
  ['storage', storageInvariants],
  ...['accounts', 'credits', 'payments', 'songs', 'storage', 'notifier'].map(
    (schema): [string, readonly Invariant[]] => [schema, eventInvariants(schema)],
  ),
]

/**
 * All invariants in one repeatable-read snapshot, as the database's owner. Those that compare services leave out people
 * who still have events under way, so that a running product can be checked.
 */
export async function checkInvariants(adminUrl: string): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query('begin transaction isolation level repeatable read read only')
    const findings: Finding[] = []
    const check = async ({ name, sql }: Invariant): Promise<void> => {
      const { rows } = await client.query<Record<string, unknown>>(sql)
      findings.push({ name, breaches: rows.length, sample: rows[0] })
    }
    for (const [schema, invariants] of BY_SCHEMA) {
      await client.query(`set local search_path to ${schema}`)
      for (const { name, sql } of invariants) await check({ name: `${schema}: ${name}`, sql })
    }
    for (const invariant of crossInvariants) await check(invariant)
    await client.query('commit')
    return findings
  } finally {
    await client.end()
  }
}
