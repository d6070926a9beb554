import { expect, test } from 'vitest'
import { postgresDatabase } from '../src/database/database.ts'
import { textArray } from '../src/events/text-array.ts'
import { testDatabase, testLogger } from '../src/testing/index.ts'

test('texts of every kind arrive as they are, and so does what is null', async () => {
  await using database = await testDatabase()
  const db = postgresDatabase({ url: database.adminUrl, schema: 'public', logger: testLogger() })
  const given = [
    ['a'],
    [],
    ['', null, 'null', 'NULL'],
    ['{"a": "\\"\\\\"}', '{,}', ' ', '\n\u0001', 'ü€𝄞'],
    ['x'.repeat(100_000)],
  ]
  for (const values of given) {
    const { rows } = await db.query('select $1::text[] as texts', [textArray(values)])
    expect(rows).toEqual([{ texts: values }])
  }
  await db.close()
})
