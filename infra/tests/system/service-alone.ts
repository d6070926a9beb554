import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { ServiceName } from '@prelude/contracts'
import { WAIT_MS } from '@prelude/platform/eventually'
import { publicKeysFrom, secretOf } from '@prelude/platform'
import { SERVICES } from '../support/programs.ts'

export const ROOT = resolve(import.meta.dirname, '../../..')

/** Runs a service as its own process until it refuses to start. */
export const start = (service: ServiceName, env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [SERVICES[service].main], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    timeout: WAIT_MS,
  })

export const MASTER = 'a master secret of this test'
export const settingsFor = (service: ServiceName): Record<string, string> => ({
  INTERNAL_SECRET: secretOf(service, MASTER),
  INTERNAL_PUBLIC_KEYS: publicKeysFrom(MASTER),
})
