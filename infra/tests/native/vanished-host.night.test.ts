import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const canIsolate = spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up']).status === 0

test('the lock of a forwarder whose host has vanished from the network is free within a minute', async ({
  skip,
}) => {
  skip(!canIsolate, 'no host can be made to vanish: it takes root, unshare and ip (iproute2)')
  const dir = await mkdtemp(join(tmpdir(), 'prelude-vanished-'))
  const script = join(import.meta.dirname, 'vanished-host.ts')
  const printed = execFileSync('unshare', ['-n', process.execPath, script, dir], { encoding: 'utf8' })
  await rm(dir, { recursive: true, force: true })
  expect(Number(printed)).toBeGreaterThan(5_000)
})
