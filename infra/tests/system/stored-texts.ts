import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { open } from '@prelude/platform'
import pg from 'pg'
import { withDatabase } from '../../embedded/with-database.ts'
import { runningServers } from '../../embedded/running-servers.ts'
import type { ProductProcess } from '../support/product-process.ts'

/**
 * All stored data of a product as text: each row of each table of each schema (after the table's name), each path in the
 * object store and in staging, each entry of the session store. Without the data of stand-ins.
 */
export async function storedTexts({ dataDir }: ProductProcess): Promise<string[]> {
  const rows = await withDatabase({ dataDir, adminUrl: undefined }, rowsOf)
  const staged = await Promise.all(
    ['staging', 'storage-1/staging'].map((folder) =>
      readdir(join(dataDir, folder), { recursive: true }).catch(() => []),
    ),
  )
  return [...rows, ...staged.flat().map((path) => `staging ${path}`), ...(await outsideDatabase(dataDir))]
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

/** Opens the object store: in the stack by its server's URL, else the folder. */
async function outsideDatabase(dataDir: string): Promise<string[]> {
  const servers = runningServers(dataDir)
  if (servers === null)
    return (await readdir(join(dataDir, 'blobs'), { recursive: true })).map((path) => `blobs ${path}`)
  const texts: string[] = []
  const blobs = open.blobs(servers.blobsUrl)
  for await (const { path } of blobs.list('')) texts.push(`blobs ${path}`)
  await blobs.close()
  const redis = new Redis(servers.kvUrl)
  for await (const keys of redis.scanStream())
    for (const key of keys as string[]) texts.push(`kv ${key} ${(await redis.get(key)) ?? ''}`)
  redis.disconnect()
  return texts
}
