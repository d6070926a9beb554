import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { signIn } from './person.ts'
import { startProductProcess } from './product-process.ts'

/** PostgreSQL frozen and killed under a running product. */

const POLL = { timeout: 20_000, interval: 100 }

test(
  'while the database is frozen or killed requests get 503, and no accepted song is lost',
  { timeout: 90_000 },
  async () => {
    await using product = await startProductProcess({ RATE_LIMITS: 'off' })
    const singer = await signIn(product, { email: 'singer@example.test', name: 'Singer' })
    const submit = () => singer.post<{ code?: string }>('/api/songs', { lyrics: 'la', style: 'folk' })
    expect((await submit()).status).toBe(201)
    const pidFile = join(product.dataDir, 'postgres/cluster/postmaster.pid')
    const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
    const signalAll = (signal: 'STOP' | 'CONT'): void => {
      process.kill(postmaster, `SIG${signal}`)
      execFileSync('pkill', [`-${signal}`, '-P', String(postmaster)])
    }

    signalAll('STOP')
    const frozen = await submit()
    signalAll('CONT')
    expect([frozen.status, frozen.body.code]).toEqual([503, 'submit_failed'])
    expect(frozen.headers.get('retry-after')).toMatch(/^\d+$/)
    await vi.waitFor(async () => expect((await submit()).status).toBe(201), POLL)

    process.kill(postmaster, 'SIGKILL')
    const killed = await submit()
    expect([201, 503]).toContain(killed.status)
    await vi.waitFor(async () => expect((await submit()).status).toBe(201), POLL)
    await vi.waitFor(async () => {
      const { body } = await singer.get<{ items: { charge: string }[] }>('/api/songs')
      expect(body.items.every(({ charge }) => charge === 'declined')).toBe(true)
    }, POLL)
    expect(product.checkInvariants()).toContain(' 0 broken')
  },
)
