import { execFile, execFileSync } from 'node:child_process'
import { readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Song } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { findLastRelease, LAST } from '../servers/last-release.ts'
import { fulfil, MP3 } from '../support/audio-files.ts'
import { giveCredits, requestSong, somebody, unlockedOperator } from '../support/callers.ts'
import { whyMissing } from '../support/with-server.ts'
import {
  BUILD_WITHIN_MS,
  checkOutThis,
  noContainers,
  type ProductInContainers,
  startContainers,
} from './product-in-containers.ts'

/** docs/operations/deploy.md, "Upgrade and rollback", in containers. */

const ROOT = resolve(import.meta.dirname, '../../..')
const OLD_IMAGE = `prelude:${LAST.version}`
const ADA = { email: 'ada@example.test', name: 'Ada Obi' }

const missing = await noContainers()
const withoutOld = missing ?? (await whyMissing('last release', findLastRelease))

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { cwd: ROOT, maxBuffer: 256 * 1024 * 1024 })

/** The source tree of the last release, with its packages. */
async function checkOutLast(folder: string): Promise<void> {
  execFileSync('tar', ['--extract', '--directory', folder], { input: git('archive', LAST.commit) })
  await symlink(join(await findLastRelease(), 'node_modules'), join(folder, 'node_modules'))
  // servers in the versions of today, since the balancer that it names was never published
  const compose = join(folder, 'docker-compose.yml')
  let settings = await readFile(compose, 'utf8')
  const images = (await readFile(join(ROOT, 'infra/docker/images.yml'), 'utf8')).matchAll(
    /^    image: .*'(([^':]+):[^$\n]+)\$/gm,
  )
  for (const [, image = '', name = ''] of images)
    settings = settings.replace(new RegExp(`image: ${name}:.*`), `image: ${image}`)
  await writeFile(compose, settings)
}

const update = ({ env, folder }: ProductInContainers, settings: Record<string, string> = {}) =>
  promisify(execFile)('make', ['containers-update'], {
    cwd: folder,
    env: { ...env, ...settings },
    maxBuffer: 64 * 1024 * 1024,
  })

const isSound = ({ compose }: ProductInContainers): void =>
  expect(compose('run', '--rm', 'prepare', 'prelude', 'check-invariants')).toContain(' 0 broken')

test.skipIf(missing !== null)(
  'an update to another version replaces every service and drops no request',
  { timeout: BUILD_WITHIN_MS },
  async () => {
    await using containers = await startContainers()
    const { compose, folder } = containers
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
    await update(containers).finally(() => (isUpdating = false))
    await using
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(running().filter((id) => before.includes(id))).toEqual([])
    isSound(containers)
  },
)

test.skipIf(withoutOld !== null)(
  'an installation of the last release is updated to this code, rolled back and updated again: songs, money and sessions stay',
  { timeout: 2 * BUILD_WITHIN_MS },
  async () => {
    await using containers = await startContainers({}, checkOutLast)
    const { folder, run } = containers
    const product = await containers.product()
    const operator = await unlockedOperator(product)
    const ada = await somebody(product, ADA)
    await giveCredits(operator, ada.uid, 30)
    const made: Song[] = []
    const orderAndDeliver = async (): Promise<void> => {
      const song = await requestSong(ada)
      expect((await fulfil(operator, song.id)).status).toBe(200)
      made.push(song)
    }
    const allIsThere = async (): Promise<void> => {
      for (const { id } of made) {
        const { bytes } = await ada.call('GET', `/api/songs/${id}/versions/1`)
        expect(bytes.equals(MP3)).toBe(true)
      }
      expect((await ada.call<{ balance: number }>('GET', '/api/credits')).body.balance).toBe(
        30 - 10 * made.length,
      )
    }
    await orderAndDeliver()
    await allIsThere()
    run('docker', 'tag', 'prelude', OLD_IMAGE)

    for (const file of git('ls-tree', '-r', '-z', '--name-only', LAST.commit).toString().split('\0'))
      if (file !== '') await rm(join(folder, file), { force: true })
    await rm(join(folder, 'node_modules'))
    await checkOutThis(folder)
    await update(containers)
    await allIsThere()
    await orderAndDeliver()
    isSound(containers)

    await update(containers, { PRELUDE_IMAGE: OLD_IMAGE })
    await allIsThere()
    await orderAndDeliver()

    await update(containers)
    await allIsThere()
    isSound(containers)
  },
)
