import { randomUUID } from 'node:crypto'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { buyCredits, type Person, signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'

/** kill -9 under load: no accepted song is lost, none is charged twice. */
interface Songs {
  items: { id: string; lyrics: string; charge: string }[]
  nextCursor: string | null
}

async function allSongs(person: Person): Promise<Songs['items']> {
  const items: Songs['items'] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { body: Songs } = await person.get<Songs>(
      `/api/songs?limit=100${cursor ? `&cursor=${cursor}` : ''}`,
    )
    items.push(...page.body.items)
    cursor = page.body.nextCursor
  }
  return items
}

test(
  'a kill during 200 submits loses no accepted song and charges none twice',
  { timeout: 180_000 },
  async () => {
    await using product = await startProductProcess({ RATE_LIMITS: 'off' })
    const singer = await signIn(product, { email: 'singer@example.test', name: 'Singer' })
    await buyCredits(singer, 1000)
    await eventually(async () => {
      expect((await singer.get<{ balance: number }>('/api/credits')).body.balance).toBe(1000)
    })

    const keys = Array.from({ length: 200 }, () => randomUUID())
    const accepted = new Map<string, string>()
    const submit = async (key: string): Promise<void> => {
      const answer = await singer
        .post<{ id: string }>('/api/songs', { lyrics: key, style: 'folk' }, { 'idempotency-key': key })
        .catch(() => null)
      if (answer?.status === 201) accepted.set(key, answer.body.id)
    }
    const waiting = [...keys]
    const workers = Array.from({ length: 16 }, async () => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) await submit(key)
    })
    await eventually(() => expect(accepted.size).toBeGreaterThan(60))
    await product.kill()
    await Promise.all(workers)
    expect(accepted.size).toBeLessThan(200)
    const before = new Map(accepted)

    await product.start()
    // requests without an answer are sent again under their idempotency keys, as a browser does
    await eventually(async () => {
      for (const key of keys) if (!accepted.has(key)) await submit(key)
      expect(accepted.size).toBe(200)
    })
    for (const [key, id] of before) expect(accepted.get(key)).toBe(id)

    await eventually(async () => {
      const songs = await allSongs(singer)
      expect(songs).toHaveLength(200)
      expect(new Set(songs.map((song) => song.lyrics)).size).toBe(200)
      expect(songs.filter((song) => song.charge === 'charged')).toHaveLength(100)
      expect(songs.filter((song) => song.charge === 'declined')).toHaveLength(100)
    })
    expect((await singer.get<{ balance: number }>('/api/credits')).body.balance).toBe(0)
    expect(product.checkInvariants()).toContain(' 0 broken')
  },
)
