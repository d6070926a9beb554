import { expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { MP3 } from '../support/audio-files.ts'
import { deliveredSong, somebody, unlockedOperator } from '../support/callers.ts'
import { BUILD_WITHIN_MS, noContainers, PROJECT, startContainers } from './product-in-containers.ts'

const missing = await noContainers()
const LOST = ['database', 'events', 'sessions', 'objects', 'staging']

test.skipIf(missing !== null)(
  'the backup that containers take every night comes back on new volumes, by the steps of the docs',
  { timeout: BUILD_WITHIN_MS },
  async () => {
    await using containers = await startContainers()
    const { compose, run } = containers
    const product = await containers.product()
    const { owner: ada, song } = await deliveredSong(product, await unlockedOperator(product))

    compose('--profile', 'backup', 'up', '--detach', '--wait', 'backup')
    const taken = await eventually(() => {
      const found = /are in (\/backups\/\S+), compared and checked/.exec(compose('logs', 'backup'))
      expect(found).not.toBeNull()
      return found?.[1] ?? ''
    })

    compose('--profile', '*', 'down')
    run('docker', 'volume', 'rm', ...LOST.map((volume) => `${PROJECT}_${volume}`))
    compose('up', '--detach', '--wait', 'postgres', 'kafka', 'redis', 's3')
    compose('run', '--rm', 'prepare')
    const restore = ['prepare', 'prelude', 'restore', `--from=${taken}`]
    expect(compose('run', '--rm', '-v', `${PROJECT}_backups:/backups`, ...restore)).toContain(
      'restored and checked',
    )
    compose('up', '--detach', '--wait')

    const again = await somebody(product, { email: ada.email })
    expect(again.uid).toBe(ada.uid)
    const audio = await again.call('GET', `/api/songs/${song.id}/versions/1`)
    expect(audio.bytes.equals(MP3)).toBe(true)
    expect(compose('run', '--rm', 'prepare', 'prelude', 'check-invariants')).toContain(' 0 broken')
  },
)
