import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@prelude/platform/eventually'
import type { Person } from '../support/person.ts'
import { ask, fulfil, must } from './calls.ts'
import type { Scene } from './scene.ts'

const AT_ONCE = 2
/** Between two requests of one person. */
const PAUSE_MS = 75

export interface Use {
  asked(): number
  /** One line for each failed request. */
  readonly failed: readonly string[]
  /** Resolves with the last answer. */
  stop(): Promise<void>
}

/**
 * A load of all kinds of requests by a person and the operator until `stop`. Failed requests are not repeated; requests that
 * need a song are left out when its submit was refused.
 */
export function use(scene: Pick<Scene, 'endpoints'>, singer: Person, operator: Person, ready: string): Use {
  const failed: string[] = []
  let [asked, going] = [0, true]
  const note = (request: string, status: number, expected: number): void => {
    asked++
    if (status !== expected)
      failed.push(`${request.replace(/[0-9a-f-]{36}/, ':id')}: ${status || 'no answer'}`)
  }
  const keepOn = async (round: () => Promise<void>): Promise<void> => {
    while (going) await round().catch((error: Error) => void failed.push(error.message))
  }
  const act = async (
    person: Person,
    request: string,
    expected = 200,
    json?: unknown,
  ): Promise<string | null> => {
    const [method = '', path = ''] = request.split(' ')
    const sending = method === 'POST' ? { json, key: randomUUID() } : {}
    const { status, body } = await ask<{ id?: string }>(scene, person, method, path, sending)
    note(request, status, expected)
    await delay(PAUSE_MS)
    return status === expected ? (body.id ?? null) : null
  }
  const submit = () => act(singer, 'POST /api/songs', 201, { lyrics: 'la', style: 'folk' })

  const sing = async (): Promise<void> => {
    const id = await submit()
    if (id === null) return
    for (const path of ['/api/songs', `/api/songs/${id}`, '/api/credits', '/api/me'])
      await act(singer, `GET ${path}`)
    await act(singer, 'POST /api/payments', 200, { amount: 25 })
  }
  const listen = async (): Promise<void> => {
    for (const path of ['/versions/1', '/versions/2/waveform', ''])
      await act(singer, `GET /api/songs/${ready}${path}`)
  }
  const operate = async (): Promise<void> => {
    const id = await submit()
    if (id === null) return
    await eventually(async () => {
      const { status, body } = await ask<{ charge: string }>(scene, singer, 'GET', `/api/songs/${id}`)
      must(status === 200 && body.charge !== 'deciding', `the song answers ${status} ${body.charge}`)
    })
    const { status } = await fulfil(scene, operator, id)
    note(`POST /api/operator/songs/${id}/fulfil`, status, 200)
    await act(operator, 'GET /api/operator/songs')
  }
  const everybody = Promise.all([
    ...Array.from({ length: AT_ONCE }, () => keepOn(sing)),
    keepOn(listen),
    keepOn(operate),
  ])
  return {
    asked: () => asked,
    failed,
    stop: async () => {
      going = false
      await everybody
    },
  }
}
