import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../system/person.ts'
import { startHaproxy } from '../../native/haproxy.ts'
import { restartOneByOne } from '../../stack/parts.ts'
import { fulfil } from '../fulfil.ts'
import { ask, type Drill, must, type Scene, someone, unlockedOperator, until } from '../scene.ts'

const CREDITS = 5_000
const STOPPED_WITHIN_MS = 20_000
const AT_ONCE = 2
/** Between two requests of one who uses the product. */
const BREATH_MS = 75
const READY_WITHIN_MS = 30_000

/** One thing that somebody does, with the answer it must get. */
interface Act {
  readonly method: string
  readonly path: string
  readonly expects: number
  readonly json?: unknown
}

interface Use {
  readonly asked: () => number
  readonly failed: readonly string[]
  slowestMs(): number
  /** Resolves once the last one has its answer. */
  stop(): Promise<void>
}

/** Somebody and the operator go on using everything until they are told to stop. Nothing is asked a second time. */
function use(scene: Scene, singer: Person, operator: Person, ready: string): Use {
  const failed: string[] = []
  let [asked, slowestMs, going] = [0, 0, true]
  const note = ({ method, path, expects }: Act, status: number, ms: number): void => {
    asked++
    slowestMs = Math.max(slowestMs, ms)
    if (status !== expects)
      failed.push(`${method} ${path.replace(/[0-9a-f-]{36}/, ':id')}: ${status || 'no answer'}`)
  }
  const keepOn = async (round: () => Promise<void>): Promise<void> => {
    while (going) await round()
  }
  const act = async (person: Person, one: Act): Promise<string> => {
    const key = one.method === 'POST' ? randomUUID() : undefined
    const { status, ms, body } = await ask<{ id?: string }>(scene, person, one.method, one.path, {
      ...(one.json !== undefined && { json: one.json }),
      ...(key !== undefined && { key }),
    })
    note(one, status, ms)
    await delay(BREATH_MS)
    return body.id ?? ''
  }
  const read = (person: Person, path: string) => act(person, { method: 'GET', path, expects: 200 })
  const json = { lyrics: 'la', style: 'folk' }
  const submit = () => act(singer, { method: 'POST', path: '/api/songs', expects: 201, json })

  const sing = async (): Promise<void> => {
    const id = await submit()
    for (const path of ['/api/songs', `/api/songs/${id}`, '/api/credits', '/api/me']) await read(singer, path)
    await act(singer, { method: 'POST', path: '/api/payments', expects: 200, json: { amount: 25 } })
  }
  const listen = async (): Promise<void> => {
    for (const path of ['/versions/1', '/versions/2/waveform', ''])
      await read(singer, `/api/songs/${ready}${path}`)
  }
  const operate = async (): Promise<void> => {
    const id = await submit()
    await until('the charge', READY_WITHIN_MS, async () => {
      const { status, body } = await ask<{ charge: string }>(scene, singer, 'GET', `/api/songs/${id}`)
      return status !== 200 || body.charge === 'deciding' ? 'undecided' : null
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
  everybody.catch(() => {}) // told by who waits for it
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

/** A song with audio, analysed. */
async function readySong(scene: Scene, person: Person, operator: Person): Promise<string> {
  const { body } = await person.post<{ id: string }>('/api/songs', { lyrics: 'la', style: 'folk' })
  await until('a ready song', READY_WITHIN_MS, async () => {
    const { status } = await fulfil(scene, operator, body.id)
    return status === 200 ? null : `fulfilling answers ${status}`
  })
  await until('its waveform', READY_WITHIN_MS, async () => {
    const { status } = await ask(scene, person, 'GET', `/api/songs/${body.id}/versions/2/waveform`)
    return status === 200 ? null : `it answers ${status}`
  })
  return body.id
}

/** The same product by the door that containers have. */
async function behindHaproxy({ stack, note }: Scene): Promise<AsyncDisposable & { scene: Scene }> {
  const gateways = stack.instances.flatMap(({ publicPort, address }) =>
    publicPort === null ? [] : [{ publicPort, internalPort: Number(new URL(address).port) }],
  )
  const haproxy = await startHaproxy({ dir: join(stack.dataDir, 'haproxy'), gateways })
  return {
    scene: { stack: { ...stack, endpoints: { ...stack.endpoints, web: haproxy.url } }, note },
    [Symbol.asyncDispose]: () => haproxy.stop(),
  }
}

export const rolling: readonly Drill[] = [
  {
    name: 'Restart: every part, one instance after the other, amid requests of every kind by either door',
    run: async (scene) => {
      await using door = await behindHaproxy(scene)
      const operator = await unlockedOperator(scene)
      const loads = await Promise.all(
        [scene, door.scene].map(async (by) => {
          const singer = await someone(scene, CREDITS)
          return use(by, singer, operator, await readySong(scene, singer, operator))
        }),
      )
      const restarting = Array.fromAsync(restartOneByOne(scene.stack.instances))
      await restarting.catch(() => {}) // told below
      for (const load of loads) await load.stop()
      const restarted = await restarting
      const slowest = (times: readonly number[]): string => `${(Math.max(...times) / 1000).toFixed(1)} s`
      const stopMs = restarted.map((one) => one.stopMs)
      const asked = loads.map((load) => load.asked())
      const failed = loads.flatMap((load) => load.failed)
      const kinds = Map.groupBy(failed, (one) => one).entries()
      const told = Array.from(kinds, ([one, { length }]) => `${length} × ${one}`).join('; ')
      must(failed.length === 0, `${failed.length} of ${asked.join(' and ')} requests failed: ${told}`)
      must(Math.max(...stopMs) < STOPPED_WITHIN_MS, `a part took ${slowest(stopMs)} to stop`)
      scene.note(
        `${restarted.length} restarts, stopped within ${slowest(stopMs)}, ready within ` +
          `${slowest(restarted.map((one) => one.startMs))}; ${asked[0]} requests and ${asked[1]} by haproxy, ` +
          `none failed, the slowest took ${slowest(loads.map((load) => load.slowestMs()))}`,
      )
    },
  },
]
