import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'

/** PostgreSQL frozen and killed under a running product. */
test('a request to a frozen database gets 503, one to a killed database 503 or its song; repeated, it is accepted, and every accepted song is there once', async () => {
  await using product = await startProductProcess({ RATE_LIMITS: 'off' })
  const singer = await signIn(product, { email: 'singer@example.test', name: 'Singer' })
  const accepted: string[] = []
  const submit = async () => {
    const answer = await singer.post<{ code?: string; id?: string }>('/api/songs', {
      lyrics: 'la',
      style: 'folk',
    })
    if (answer.status === 201) accepted.push(answer.body.id ?? 'without an id')
    return answer
  }
  expect((await submit()).status).toBe(201)
  const pidFile = join(product.dataDir, 'postgres/cluster/postmaster.pid')
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  if (!(postmaster > 1)) throw new Error(`${pidFile} names no process`)
  const signalAll = (signal: 'STOP' | 'CONT'): void => {
    process.kill(postmaster, `SIG${signal}`)
    execFileSync('pkill', [`-${signal}`, '-P', String(postmaster)])
  }

  signalAll('STOP')
  const frozen = await submit()
  signalAll('CONT')
  expect([frozen.status, frozen.body.code]).toEqual([503, 'submit_failed'])
  expect(frozen.headers['retry-after']).toMatch(/^\d+$/)
  await eventually(async () => expect((await submit()).status).toBe(201))

  process.kill(postmaster, 'SIGKILL')
  const killed = await submit()
  expect([201, 503]).toContain(killed.status)
  if (killed.status === 503) expect(killed.body.code).toBe('submit_failed')
  await eventually(async () => expect((await submit()).status).toBe(201))
  await eventually(async () => {
    const { body } = await singer.get<{ items: Song[] }>('/api/songs?limit=100')
    expect(body.items.map(({ charge }) => charge)).toEqual(body.items.map(() => 'declined'))
    const ids = body.items.map(({ id }) => id)
    expect(ids.filter((id) => accepted.includes(id)).toSorted()).toEqual(accepted.toSorted())
  })
  expect(accepted.length).toBeGreaterThanOrEqual(3) // before, between and after the two faults
  expect(product.checkInvariants()).toContain(' 0 broken')
})
