import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { inject } from 'vitest'
import type { SchemaSpec } from '../../src/database/index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that the whole test run shares; each test database in it is its own. */
    adminUrl: string
  }
}

export type TestDatabase = { readonly adminUrl: string } & AsyncDisposable

/** A fresh database on the run's server, gone at the end. */
export const testDatabase = (): Promise<TestDatabase> => create('')

/**
 * A database with these schemas, gone at the end: a copy of one that `prepare` filled when it was needed first, since the
 * migrations take several times as long as the copy.
 */
export async function migratedDatabase(
  schemas: readonly SchemaSpec[],
  prepare: (adminUrl: string) => Promise<void>,
): Promise<TestDatabase> {
  const template = `template_${hashOf(schemas)}`
  await asAdmin(async (admin) => {
    // until this connection ends: other test files wait for the one that makes it
    await admin.query('select pg_advisory_lock(hashtext($1))', [template])
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template])
    if (rowCount) return
    const unfinished = await testDatabase()
    await prepare(unfinished.adminUrl)
    await admin.query(`alter database ${nameIn(unfinished.adminUrl)} rename to ${template}`)
  })
  // by file: with the other strategy every page of the copy is written to the journal too
  return create(`template ${template} strategy file_copy`)
}

const hashes = new Map<string, string>()

/** Of the schemas with the texts of their migrations. */
function hashOf(schemas: readonly SchemaSpec[]): string {
  const key = JSON.stringify(schemas)
  const known = hashes.get(key)
  if (known !== undefined) return known
  const hash = createHash('sha256').update(key)
  for (const folder of schemas.flatMap(({ migrations }) => Object.values(migrations)))
    for (const file of readdirSync(folder)) hash.update(readFileSync(new URL(file, folder)))
  const made = hash.digest('hex').slice(0, 16)
  hashes.set(key, made)
  return made
}

async function create(from: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await asAdmin((admin) => admin.query(`create database ${name} ${from}`))
  const url = new URL(inject('adminUrl'))
  url.pathname = `/${name}`
  return {
    adminUrl: url.href,
    [Symbol.asyncDispose]: () =>
      asAdmin(async (admin) => void (await admin.query(`drop database ${name} with (force)`))),
  }
}

const nameIn = (adminUrl: string): string => new URL(adminUrl).pathname.slice(1)

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: inject('adminUrl') })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
