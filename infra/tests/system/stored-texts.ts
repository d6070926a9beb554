import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { withDatabase } from '../../embedded/with-database.ts'
import type { ProductProcess } from '../support/product-process.ts'

/**
 * All stored data of `make start` as text: each row of each table of each schema (after the table's name), each path of audio
 * and of staging. Without the data of stand-ins.
 */
export async function storedTexts({ dataDir }: ProductProcess): Promise<string[]> {
  const rows = await withDatabase({ dataDir, adminUrl: undefined }, rowsOf)
  const filesIn = async (folder: string): Promise<string[]> =>
    (await readdir(join(dataDir, folder), { recursive: true })).map((path) => `${folder} ${path}`)
  return [...rows, ...(await filesIn('staging')), ...(await filesIn('blobs'))]
}

async function rowsOf(adminUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
    )
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`)
      texts.push(...rows.map(({ text }) => `${name} ${text}`))
    }
    return texts
  } finally {
    await client.end()
  }
}
