import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')

export const MAINS: Readonly<Record<string, string>> = {
  gateway: 'gateway/src/main.ts',
  songs: 'services/songs/src/main.ts',
  credits: 'services/credits/src/main.ts',
  payments: 'services/payments/src/main.ts',
  storage: 'services/storage/src/main.ts',
  notifier: 'services/notifier/src/main.ts',
  prepare: 'infra/prepare/main.ts',
}

/** The required settings of a program, from its own error message. */
export function neededSettings(main: string): string[] {
  const env = { PATH: process.env['PATH'] }
  const { stderr } = spawnSync(process.execPath, [main], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    timeout: 20_000,
  })
  return [...stderr.matchAll(/([A-Z_]+) is missing/g)].map(([, name = '']) => name)
}
