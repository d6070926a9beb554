import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { eventually } from '@prelude/platform/eventually'
import type { ProductProcess } from './product-process.ts'

/** A clock for a product of this file: it is started with `env`, and `pass` sets it forward, in milliseconds. */
export function shiftedClock() {
  const folder = mkdtempSync(join(tmpdir(), 'prelude-clock-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'clock')
  const loader = pathToFileURL(resolve(import.meta.dirname, 'shifted-date.ts')).href
  let aheadMs = 0
  return {
    env: { CLOCK_FILE: file, NODE_OPTIONS: `--import ${loader}` },
    pass: async ({ endpoints }: ProductProcess, ms: number): Promise<void> => {
      aheadMs += ms
      writeFileSync(file, String(aheadMs))
      process.kill(endpoints.pid, 'SIGUSR2')
      await eventually(() => {
        if (readFileSync(`${file}.read`, 'utf8') !== String(aheadMs)) throw new Error('the clock is not read')
      })
    },
  }
}
