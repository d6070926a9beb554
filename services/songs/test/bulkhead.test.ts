import { expect, test } from 'vitest'
import { songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import { bulkhead } from '../src/bulkhead.ts'
import { createSongs } from '../src/index.ts'

/** Work that ends when the test says so. */
function controlled() {
  const started: PromiseWithResolvers<string>[] = []
  const work = (): Promise<string> => {
    const one = Promise.withResolvers<string>()
    started.push(one)
    return one.promise
  }
  return { started, work }
}

test('as many run at once as may, the others follow in order, also after a failure', async () => {
  const { started, work } = controlled()
  const enter = bulkhead({ most: 2, waitMs: 60_000 })
  const results = [1, 2, 3, 4].map(() => enter(work).catch(() => 'failed'))
  await expect.poll(() => started.length).toBe(2)
  started[0]?.reject(new Error('broken'))
  await expect.poll(() => started.length).toBe(3)
  for (const one of started) one.resolve('done')
  await expect.poll(() => started.length).toBe(4)
  started[3]?.resolve('done')
  expect(await Promise.all(results)).toEqual(['failed', 'done', 'done', 'done'])
})

test('work that waits for too long is refused and never runs', async () => {
  const { started, work } = controlled()
  const enter = bulkhead({ most: 1, waitMs: 20 })
  const first = enter(work)
  await expect(enter(work)).rejects.toMatchObject({ code: 'unavailable' })
  started[0]?.resolve('done')
  expect(await first).toBe('done')
  const next = enter(work)
  await expect.poll(() => started.length).toBe(2)
  started[1]?.resolve('done')
  expect(await next).toBe('done')
})

test('searches use two connections at most, whatever number of them arrives', async () => {
  await using songs = await testService((deps) => createSongs(deps))
  await songs.admin.query(
    `insert into song (id, uid, username, email, lyrics, style, created_at)
     select gen_random_uuid(), 'u1', 'Ada', 'a@b.c', repeat(md5(n::text), 300), 'folk', n from generate_series(1, 2000) n`,
  )
  let isOver = false
  const { list, request } = songs.api(songsApi)
  const searches = Promise.allSettled(
    Array.from({ length: 20 }, () => list({ query: { uid: 'u1', q: 'no match' } })),
  ).finally(() => (isOver = true))
  const seen: number[] = []
  while (!isOver) {
    // of a running query only the beginning is known
    const { rows } = await songs.admin.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and state = 'active' and query like 'select id, uid, %'`,
    )
    seen.push(rows[0]?.count ?? 0)
  }
  expect(Math.max(...seen)).toBeGreaterThan(0)
  expect(Math.max(...seen)).toBeLessThanOrEqual(2)
  expect((await searches).map(({ status }) => status)).toContain('fulfilled')
  const body = { uid: 'u2', username: 'Eve', email: 'e@b.c', lyrics: 'la', style: 'folk' }
  expect((await request({ params: { id: newId() }, body })).uid).toBe('u2')
})
