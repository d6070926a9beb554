import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, vi } from 'vitest'
import type { ProductProcess } from './product-process.ts'

/** A clock for a product of this file: it is started with `env`, and `pass` sets it forward, in milliseconds. */
export function shiftedClock() {
  const folder = mkdtempSync(join(tmpdir(), 'prelude-clock-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'clock')
  const loader = pathToFileURL(resolve(import.meta.dirname, 'shifted-date.ts')).href
  let aheadMs = 0
  return {
    env: { CLOCK_FILE: file, NODE_OPTIONS: `--import ${loader}` },
    pass: async ({ endpoints }: ProductProcess, ms: number): Promise<void> => {
      aheadMs += ms
      writeFileSync(file, String(aheadMs))
      process.kill(endpoints.pid, 'SIGUSR2')
      await vi.waitFor(() => expect(readFileSync(`${file}.read`, 'utf8')).toBe(String(aheadMs)), {
        timeout: 10_000,
        interval: 20,
      })
    },
  }
}
