import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { BUILD_WITHIN_MS, noContainers } from '../containers/product-in-containers.ts'
import { outside } from './drills/outside.ts'
import { rolling } from './drills/rolling.ts'
import { servers } from './drills/servers.ts'
import { services } from './drills/services.ts'
import { slow } from './drills/slow.ts'
import { restore } from './faults.ts'
import { checkInvariants, type Scene, settle, startScene } from './scene.ts'

/** `make drills`: faults in the product as docker-compose.yml ships it, one after the other; after each all invariants hold. */

/** A server is away for up to 30 s, containers need as long to be healthy again, and then all that waited is handled. */
const DRILL_ENDS_WITHIN_MS = 360_000
const REPAIRED_WITHIN_MS = 120_000

const missing = await noContainers()

describe.skipIf(missing !== null)('drills', { timeout: DRILL_ENDS_WITHIN_MS }, () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene({ COMPOSE_PROJECT_NAME: 'prelude-drills' })
  }, BUILD_WITHIN_MS)
  afterEach(() => restore(scene), REPAIRED_WITHIN_MS)
  afterAll(() => scene?.[Symbol.asyncDispose](), REPAIRED_WITHIN_MS)

  for (const { name, run } of [rolling, ...services, ...servers, ...outside, slow])
    test(`${name}; all invariants hold`, async () => {
      await run(scene)
      await settle(scene)
      expect(await checkInvariants(scene)).toContain(' 0 broken')
    })
})
