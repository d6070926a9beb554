import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../support/person.ts'
import { fulfil } from './fulfil.ts'
import { ask, type Scene, until } from './scene.ts'

const AT_ONCE = 2
/** Between two requests of one person. */
const PAUSE_MS = 75
const CHARGED_WITHIN_MS = 30_000

/** One request with its expected status. */
interface Act {
  readonly method: string
  readonly path: string
  readonly expects: number
  readonly json?: unknown
}

export interface Use {
  readonly asked: () => number
  /** One line for each failed request. */
  readonly failed: readonly string[]
  slowestMs(): number
  /** Resolves with the last answer. */
  stop(): Promise<void>
}

/**
 * A load of all kinds of requests by a person and the operator until `stop`. Failed requests are not repeated; requests that
 * need a song are left out when its submit was refused.
 */
export function use(scene: Scene, singer: Person, operator: Person, ready: string): Use {
  const failed: string[] = []
  let [asked, slowestMs, going] = [0, 0, true]
  const note = ({ method, path, expects }: Act, status: number, ms: number): void => {
    asked++
    slowestMs = Math.max(slowestMs, ms)
    if (status !== expects)
      failed.push(`${method} ${path.replace(/[0-9a-f-]{36}/, ':id')}: ${status || 'no answer'}`)
  }
  const keepOn = async (round: () => Promise<void>): Promise<void> => {
    while (going) await round().catch((error: Error) => void failed.push(error.message))
  }
  const act = async (person: Person, one: Act): Promise<string | null> => {
    const key = one.method === 'POST' ? randomUUID() : undefined
    const { status, ms, body } = await ask<{ id?: string }>(scene, person, one.method, one.path, {
      ...(one.json !== undefined && { json: one.json }),
      ...(key !== undefined && { key }),
    })
    note(one, status, ms)
    await delay(PAUSE_MS)
    return status === one.expects ? (body.id ?? null) : null
  }
  const read = (person: Person, path: string) => act(person, { method: 'GET', path, expects: 200 })
  const json = { lyrics: 'la', style: 'folk' }
  const submit = () => act(singer, { method: 'POST', path: '/api/songs', expects: 201, json })

  const sing = async (): Promise<void> => {
    const id = await submit()
    if (id === null) return
    for (const path of ['/api/songs', `/api/songs/${id}`, '/api/credits', '/api/me']) await read(singer, path)
    await act(singer, { method: 'POST', path: '/api/payments', expects: 200, json: { amount: 25 } })
  }
  const listen = async (): Promise<void> => {
    for (const path of ['/versions/1', '/versions/2/waveform', ''])
      await read(singer, `/api/songs/${ready}${path}`)
  }
  const operate = async (): Promise<void> => {
    const id = await submit()
    if (id === null) return
    await until('the charge', CHARGED_WITHIN_MS, async () => {
      const { status, body } = await ask<{ charge: string }>(scene, singer, 'GET', `/api/songs/${id}`)
      if (status !== 200) return `the song answers ${status || 'nothing'}`
      return body.charge === 'deciding' ? 'undecided' : null
    })
    const path = `/api/operator/songs/${id}/fulfil`
    const { status, ms } = await fulfil(scene, operator, id)
    note({ method: 'POST', path, expects: 200 }, status, ms)
    await read(operator, '/api/operator/songs')
  }
  const everybody = Promise.all([
    ...Array.from({ length: AT_ONCE }, () => keepOn(sing)),
    keepOn(listen),
    keepOn(operate),
  ])
  return {
    asked: () => asked,
    failed,
    slowestMs: () => slowestMs,
    stop: async () => {
      going = false
      await everybody
    },
  }
}
