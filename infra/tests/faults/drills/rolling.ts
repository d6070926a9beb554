import { join } from 'node:path'
import type { Person } from '../../support/person.ts'
import { startHaproxy } from '../../../native/haproxy.ts'
import { restartOneByOne } from '../../../stack/services.ts'
import { fulfil } from '../fulfil.ts'
import { ask, type Drill, must, type Scene, someone, unlockedOperator, until } from '../scene.ts'
import { use } from '../use.ts'

const CREDITS = 5_000
const STOPPED_WITHIN_MS = 20_000
const READY_WITHIN_MS = 30_000

/** A ready song with an analysed version. */
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

/** The same product behind HAProxy, the load balancer of the containers. */
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
    name: 'Restart: every service, one instance after the other, under all kinds of requests through both load balancers',
    run: async (scene) => {
      await using haproxy = await behindHaproxy(scene)
      const operator = await unlockedOperator(scene)
      const loads = await Promise.all(
        [scene, haproxy.scene].map(async (by) => {
          const singer = await someone(scene, CREDITS)
          return use(by, singer, operator, await readySong(scene, singer, operator))
        }),
      )
      const restarting = Array.fromAsync(restartOneByOne(scene.stack.instances))
      await restarting.catch(() => {}) // awaited below
      for (const load of loads) await load.stop()
      const restarted = await restarting
      const slowest = (times: readonly number[]): string => `${(Math.max(...times) / 1000).toFixed(1)} s`
      const stopMs = restarted.map((one) => one.stopMs)
      const asked = loads.map((load) => load.asked())
      const failed = loads.flatMap((load) => load.failed)
      const kinds = Map.groupBy(failed, (one) => one).entries()
      const counts = Array.from(kinds, ([one, { length }]) => `${length} × ${one}`).join('; ')
      must(failed.length === 0, `${failed.length} of ${asked.join(' and ')} requests failed: ${counts}`)
      must(Math.max(...stopMs) < STOPPED_WITHIN_MS, `an instance took ${slowest(stopMs)} to stop`)
      scene.note(
        `${restarted.length} restarts, stopped within ${slowest(stopMs)}, ready within ` +
          `${slowest(restarted.map((one) => one.startMs))}; ${asked[0]} requests and ${asked[1]} through HAProxy, ` +
          `none failed, the slowest took ${slowest(loads.map((load) => load.slowestMs()))}`,
      )
    },
  },
]
