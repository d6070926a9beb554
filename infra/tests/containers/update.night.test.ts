import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { somebody } from '../support/callers.ts'
import { BUILD_WITHIN_MS, noContainers, startContainers } from './product-in-containers.ts'

const missing = await noContainers()

test.skipIf(missing !== null)(
  'an update to another version replaces every service and drops no request',
  { timeout: BUILD_WITHIN_MS },
  async () => {
    await using containers = await startContainers()
    const { compose, env, folder } = containers
    const ada = await somebody(await containers.product())
    const running = (): string[] => compose('ps', '--quiet', 'gateway', 'songs', 'credits').trim().split('\n')
    const before = running()
    await writeFile(join(folder, 'services/platform/src/next-version.ts'), 'export {}\n')
    const statuses: number[] = []
    let isUpdating = true
    const use = async (): Promise<void> => {
      while (isUpdating)
        for (const path of ['/api/songs', '/api/credits', '/api/me'])
          statuses.push((await ada.call('GET', path)).status)
    }
    const using = use()
    await promisify(execFile)('make', ['containers-update'], {
      cwd: folder,
      env,
      maxBuffer: 64 * 1024 * 1024,
    }).finally(() => (isUpdating = false))
    await using
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(running().filter((id) => before.includes(id))).toEqual([])
    expect(compose('run', '--rm', 'prepare', 'prelude', 'check-invariants')).toContain(' 0 broken')
  },
)
