import { setTimeout as delay } from 'node:timers/promises'
import { SERVICE_NAMES } from '@prelude/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { BUILD_WITHIN_MS, noContainers } from '../containers/product-in-containers.ts'
import { EVENTS } from './alarms/events.ts'
import { firing, scraped, startPrometheus } from './alarms/prometheus.ts'
import { SERVERS } from './alarms/servers.ts'
import { WORK } from './alarms/work.ts'
import { must } from './calls.ts'
import { containersOf, restore } from './faults.ts'
import { checkInvariants, type Scene, settle, startScene } from './scene.ts'

/**
 * `make alarms`: causes the faults of the alerts in the product and its Prometheus as docker-compose.yml ships them. Each
 * alert fires and, after the repair in docs/operations/alerts.md, ends. Rules wait for seconds instead of minutes.
 */

const FIRES_WITHIN_MS = 200_000
const ENDS_WITHIN_MS = 180_000

const missing = await noContainers()

async function until(withinMs: number, check: () => Promise<string>): Promise<void> {
  for (const deadline = Date.now() + withinMs; ;) {
    const left = await check()
    if (left === '') return
    must(Date.now() < deadline, `after ${withinMs / 1000} s: ${left}`)
    await delay(1_000)
  }
}

describe.skipIf(missing !== null)('alarms', { timeout: FIRES_WITHIN_MS + 3 * ENDS_WITHIN_MS }, () => {
  let scene: Scene
  const quiet = (): Promise<void> =>
    until(ENDS_WITHIN_MS, async () => (await firing(scene)).map((name) => `${name} fires`).join(', '))
  beforeAll(async () => {
    scene = await startScene({
      COMPOSE_PROJECT_NAME: 'prelude-alarms',
      COMPOSE_FILE: 'docker-compose.yml:infra/tests/faults/alarms.yml',
      TRUSTED_PROXY_HOPS: '1', // HAProxy removes the country of others
      TRUSTED_COUNTRY_HEADER: 'x-country',
    })
    await startPrometheus(scene)
    const instances = await Promise.all(SERVICE_NAMES.map((service) => containersOf(scene, service)))
    await until(ENDS_WITHIN_MS, async () => {
      const count = await scraped(scene)
      return count === instances.flat().length ? '' : `${count} instances are scraped`
    })
    await quiet()
  }, BUILD_WITHIN_MS)
  afterEach(() => restore(scene), 120_000)
  afterAll(() => scene?.[Symbol.asyncDispose](), 120_000)

  for (const { alerts, how, provoke } of [...SERVERS, ...EVENTS, ...WORK])
    test(`${alerts.join(', ')}: ${how}`, async () => {
      const repair = await provoke(scene)
      const missed = new Set(alerts)
      try {
        await until(FIRES_WITHIN_MS, async () => {
          for (const name of await firing(scene)) missed.delete(name)
          return [...missed].map((name) => `${name} does not fire`).join(', ')
        })
      } finally {
        await repair()
      }
      await quiet()
      await settle(scene)
      expect(await checkInvariants(scene)).toContain(' 0 broken')
    })
})
